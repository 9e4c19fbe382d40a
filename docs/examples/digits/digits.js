#!/usr/bin/env -S gjs -m
// SPDX-License-Identifier: LGPL-2.1-or-later
// Classifies handwritten digits by tensor operations and shows which operations took the time; see README.md.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import System from 'system';
import Strideweave from 'gi://Strideweave?version=1';

const HERE = Gio.File.new_for_uri(import.meta.url).get_parent();
const BATCH = 128;
const PIXELS = 64;
const COLUMNS = PIXELS + 1; // of the file: an image, then which digit it is
const HELD_OUT_EVERY = 5;

// --- Files ---

/** Opens a text file, through a decompressor if its name says so. */
function openLines(path) {
    let stream = Gio.File.new_for_path(path).read(null);
    if (path.endsWith('.gz')) {
        const gunzip = Gio.ZlibDecompressor.new(Gio.ZlibCompressorFormat.GZIP);
        stream = Gio.ConverterInputStream.new(stream, gunzip);
    }
    return Gio.DataInputStream.new(stream);
}

/** A view of rows by columns values: a row begins rowStep after the one before it. */
function newMatrix(carrier, offset, rows, columns, rowStep) {
    const layout = Strideweave.Layout.new(
        Strideweave.Shape.new([rows, columns]),
        Strideweave.Stride.new([rowStep, 1]));
    return Strideweave.Tensor.new(carrier, offset, layout);
}

/** Loads a file of comma-separated numbers. */
function loadMatrix(path) {
    const lines = openLines(path);
    const numbers = [];
    let columns = 0;
    for (;;) {
        const [line] = lines.read_line_utf8(null);
        if (line === null)
            break;
        const fields = line.split(',');
        columns ||= fields.length;
        if (fields.length !== columns)
            throw new Error(`${path}: no matrix, see line ${numbers.length / columns + 1}`);
        numbers.push(...fields.map(Number));
    }
    if (columns === 0)
        throw new Error(`${path}: no matrix, it is empty`);
    const bytes = new GLib.Bytes(new Uint8Array(Float32Array.from(numbers).buffer));
    const carrier = Strideweave.CPU.new_from_bytes(bytes, Strideweave.DType.FLOAT32);
    return newMatrix(carrier, 0, numbers.length / columns, columns, columns);
}

function loadNetwork(folder) {
    const load = name => loadMatrix(GLib.build_filenamev([folder, `${name}.csv`]));
    return {
        hiddenWeight: load('hidden-weight'),
        hiddenBias: load('hidden-bias'),
        outputWeight: load('output-weight'),
        outputBias: load('output-bias'),
    };
}

// --- The network ---

function affine(tensor, weight, bias) {
    const product = Strideweave.matmul(tensor, weight, null);
    return Strideweave.add(product, Strideweave.broadcast_to(bias, product.get_shape()));
}

/** The digit that each image of the batch shows. */
function classify(network, batch) {
    const scaled = Strideweave.mul_scalar(batch, 1 / 16);
    const hidden = Strideweave.relu(affine(scaled, network.hiddenWeight, network.hiddenBias));
    return Strideweave.argmax_mode(affine(hidden, network.outputWeight, network.outputBias), 1);
}

/** The digits in a tensor, as one string. */
function digitsOf(tensor) {
    return new BigInt64Array(tensor.dup_bytes().toArray().slice().buffer).join('');
}

function countRows(digits) {
    return digits.get_size() / COLUMNS;
}

/** A view of the images from row first on, without their labels. */
function newBatch(digits, first) {
    const rows = Math.min(BATCH, countRows(digits) - first);
    return newMatrix(digits.get_carrier(), first * COLUMNS, rows, PIXELS, COLUMNS);
}

function classifyAll(network, digits) {
    let predictions = '';
    for (let first = 0; first < countRows(digits); first += BATCH)
        predictions += digitsOf(classify(network, newBatch(digits, first)));
    return predictions;
}

/** Records every operation that body runs, with the shapes of its inputs. */
function profile(body) {
    const profiler = Strideweave.Profiler.new(true);
    profiler.enter();
    try {
        return {predictions: body(), profiler};
    } finally {
        profiler.exit();
    }
}

// --- The same through two tiers ---

/** Moves the tensor's carrier into memory that can be evicted to a file, and lets it go there and back. */
function moveToTiers(tensor) {
    const dtype = Strideweave.DType.FLOAT32;
    const tiers = Strideweave.Evictable.new(
        Strideweave.CPU.new(tensor.get_carrier().size(), true, dtype, false),
        Strideweave.FileBacked.new(null, true, dtype));
    const moved = Strideweave.move(tensor, tiers);
    tiers.evict();
    tiers.promote();
    return moved;
}

function moveNetworkToTiers(network) {
    return Object.fromEntries(Object.entries(network).map(([name, tensor]) => [name, moveToTiers(tensor)]));
}

// --- What is printed ---

/** The labels, from the last column, as one string. */
function labelsOf(digits) {
    const column = newMatrix(digits.get_carrier(), PIXELS, countRows(digits), 1, COLUMNS);
    return new Float32Array(column.dup_bytes().toArray().slice().buffer).join('');
}

/** How often predictions are right, of every step rows one. */
function printAccuracy(what, predictions, labels, step) {
    const right = [...predictions].map((digit, row) => digit === labels[row]).filter((_, row) => row % step === 0);
    const count = right.filter(Boolean).length;
    print(`accuracy on ${what}: ${(100 * count / right.length).toFixed(2)} % (${count} of ${right.length})`);
}

function printReport(plain, tiers, labels) {
    const table = (profiler, byShape) => profiler.dup_table('self_total_time_ns', true, byShape, -1);
    print(`${labels.length} handwritten digits, classified by Strideweave operations in batches of ${BATCH}`);
    printAccuracy('all digits', plain.predictions, labels, 1);
    printAccuracy('the digits held out of the training', plain.predictions, labels, HELD_OUT_EVERY);
    print(`\nWhere the time went:\n${table(plain.profiler, false)}`);
    print(`\nThe same by the shapes of the inputs:\n${table(plain.profiler, true)}`);
    print('\nOne batch again, in memory that can be evicted to files: outer operations and their inner ones:');
    print(`${table(tiers.profiler, false)}\n`);
}

/** What is the same in every run and in every language. */
function printSummary(runs) {
    for (const [name, {predictions}] of Object.entries(runs))
        print(`${name}predictions ${GLib.compute_checksum_for_string(GLib.ChecksumType.SHA256, predictions, -1)}`);
    for (const [name, {profiler}] of Object.entries(runs)) {
        for (const row of profiler.dup_key_averages(false))
            print(`${name}calls ${row.get_name()} ${GObject.type_name(row.get_carrier_type())} ${row.get_count()}`);
    }
}

/** The command line: --summary, and the others with a value. */
function parseOptions(words) {
    const options = {
        summary: false,
        data: HERE.resolve_relative_path('../../../tests/data/digits.csv.gz').get_path(),
        weights: HERE.get_child('weights').get_path(),
    };
    for (let i = 0; i < words.length; i++) {
        const name = words[i].replace(/^--/, '');
        if (name === 'summary')
            options.summary = true;
        else if (['events', 'data', 'weights'].includes(name) && i + 1 < words.length)
            options[name] = words[++i];
        else
            throw new Error(`${words[i]}: options are --summary, --events FOLDER, --data FILE, --weights FOLDER`);
    }
    return options;
}

function main(words) {
    const options = parseOptions(words);
    const digits = loadMatrix(options.data);
    const labels = labelsOf(digits);
    const network = loadNetwork(options.weights);
    const plain = profile(() => classifyAll(network, digits));
    const movedNetwork = moveNetworkToTiers(network);
    const batch = newBatch(moveToTiers(digits), 0);
    const tiers = profile(() => digitsOf(classify(movedNetwork, batch)));
    if (options.summary)
        printSummary({'': plain, 'tiered-': tiers});
    else
        printReport(plain, tiers, labels);
    const folder = options.events ?? GLib.dir_make_tmp('strideweave-digits-XXXXXX');
    for (const [name, {profiler}] of Object.entries({'digits.json': plain, 'digits-tiered.json': tiers})) {
        const path = GLib.build_filenamev([folder, name]);
        profiler.save_json(path);
        if (!options.summary)
            print(`events saved in ${path}`);
    }
}

try {
    main(ARGV);
} catch (error) {
    printerr(`digits: ${error.message}`);
    System.exit(1);
}
