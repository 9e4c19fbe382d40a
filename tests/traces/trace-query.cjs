// SPDX-License-Identifier: LGPL-2.1-or-later
/* Asks Perfetto's own trace processor about traces: node trace-query.cjs REQUEST ANSWER
 *
 * REQUEST is a JSON file, {"engine": FOLDER, "traces": [PATH...], "queries": [SQL...]}. ANSWER becomes one: for each
 * trace, {"error": TEXT} or {"rows": [[ROW...]...]}, a list of rows for each query. The engine is what
 * fetch-trace-processor fetched. */
'use strict';

const fs = require('fs');
const path = require('path');
const vm = require('vm');

/* Numbers of the fields of the engine's messages. */
const STREAM_MESSAGE = 1;
const RPC = {sequence: 1, request: 2, fatal: 5, append: 101, query: 103, appendResult: 201, queryResult: 203, endResult: 212};
const METHOD = {append: 1, end: 2, query: 3, reset: 11};
const CHUNK = 16 << 20;

function varint(value) {
    const bytes = [];
    let rest = BigInt(value);
    do {
        const byte = Number(rest & 127n);
        rest >>= 7n;
        bytes.push(rest ? byte | 128 : byte);
    } while (rest);
    return Buffer.from(bytes);
}

const number = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
const bytes = (field, content) => Buffer.concat([varint(field << 3 | 2), varint(content.length), content]);

/* Yields [field, value] of a message: a BigInt, or the bytes. */
function* fields(message) {
    let at = 0;
    const readVarint = () => {
        let value = 0n;
        for (let shift = 0n; ; shift += 7n) {
            const byte = message[at++];
            value |= BigInt(byte & 127) << shift;
            if (!(byte & 128))
                return value;
        }
    };
    while (at < message.length) {
        const tag = Number(readVarint());
        if ((tag & 7) === 0) {
            yield [tag >>> 3, readVarint()];
            continue;
        }
        const size = {1: 8, 5: 4}[tag & 7] ?? Number(readVarint());
        yield [tag >>> 3, message.subarray(at, at + size)];
        at += size;
    }
}

function* packed(value) {
    if (typeof value === 'bigint') {
        yield value;
        return;
    }
    let number_ = 0n;
    let shift = 0n;
    for (const byte of value) {
        number_ |= BigInt(byte & 127) << shift;
        shift += 7n;
        if (!(byte & 128)) {
            yield number_;
            number_ = shift = 0n;
        }
    }
}

/* Cells come by type, each type in a list of its own. Integers that no double holds become strings. */
function addCells(batch, cells) {
    const types = [];
    const integers = [];
    const doubles = [];
    let strings = [];
    for (const [field, value] of fields(batch)) {
        if (field === 1)
            types.push(...packed(value));
        else if (field === 2)
            integers.push(...packed(value));
        else if (field === 3)
            for (let at = 0; at < value.length; at += 8)
                doubles.push(value.readDoubleLE(at));
        else if (field === 5)
            strings = value.toString('utf8').split('\0');
    }
    integers.reverse();
    doubles.reverse();
    strings.reverse();
    for (const type of types) {
        if (type === 2n) {
            const value = BigInt.asIntN(64, integers.pop());
            cells.push(Number.isSafeInteger(Number(value)) ? Number(value) : String(value));
        } else if (type === 3n) {
            const value = doubles.pop();
            cells.push(Number.isFinite(value) ? value : String(value));
        } else {
            cells.push(type === 4n ? strings.pop() : null);
        }
    }
}

async function startEngine(folder) {
    const define = (name, value) => Object.defineProperty(globalThis, name, {value, writable: true, configurable: true});
    define('self', globalThis);
    define('WorkerGlobalScope', globalThis.WorkerGlobalScope ?? function () {});
    define('location', {href: `file://${folder}/`});
    define('engineWasm', new Uint8Array(fs.readFileSync(path.join(folder, 'trace_processor.wasm'))));
    let source = fs.readFileSync(path.join(folder, 'engine_bundle.node.js'), 'utf8');
    for (const [found, replacement] of [
        ['this.useMemory64 = hasMemory64Support();', 'this.useMemory64 = false;'],
        ['locateFile: (s) => s,', 'locateFile: (s) => s, wasmBinary: globalThis.engineWasm,'],
        ['const wasmBridge = new wasm_bridge_1.WasmBridge();',
            'const wasmBridge = globalThis.engineBridge = new wasm_bridge_1.WasmBridge();'],
    ]) {
        if (!source.includes(found))
            throw new Error(`the engine is not the known one: no ${found}`);
        source = source.replace(found, replacement);
    }
    console.log = console.warn = () => {};
    vm.runInThisContext(source, {filename: 'engine_bundle.js'});

    const bridge = globalThis.engineBridge;
    let replies = [];
    bridge.initialize({postMessage: data => replies.push(Buffer.from(data))});
    while (!bridge.reqBufferAddr)
        await new Promise(resolve => setTimeout(resolve, 5));

    let sequence = 0;
    return (method, argument = Buffer.alloc(0)) => {
        const message = Buffer.concat([number(RPC.sequence, sequence++), number(RPC.request, method), argument]);
        replies = [];
        bridge.onMessage({data: new Uint8Array(bytes(STREAM_MESSAGE, message))});
        const answers = [...fields(Buffer.concat(replies))].flatMap(([, reply]) => [...fields(reply)]);
        for (const [field, value] of answers) {
            if (field === RPC.fatal)
                throw new Error(value.toString('utf8'));
        }
        return answers;
    };
}

function checkResult(answers, resultField, errorField) {
    for (const [field, value] of answers) {
        if (field !== resultField)
            continue;
        for (const [inner, text] of fields(value)) {
            if (inner === errorField && text.length > 0)
                throw new Error(text.toString('utf8'));
        }
    }
}

function load(call, trace) {
    const data = fs.readFileSync(trace);
    for (let at = 0; at < data.length; at += CHUNK)
        checkResult(call(METHOD.append, bytes(RPC.append, data.subarray(at, at + CHUNK))), RPC.appendResult, 2);
    checkResult(call(METHOD.end), RPC.endResult, 1);
}

function ask(call, sql) {
    const columns = [];
    const cells = [];
    for (const [field, result] of call(METHOD.query, bytes(RPC.query, bytes(1, Buffer.from(sql))))) {
        if (field !== RPC.queryResult)
            continue;
        for (const [inner, value] of fields(result)) {
            if (inner === 1)
                columns.push(value.toString('utf8'));
            else if (inner === 2 && value.length > 0)
                throw new Error(value.toString('utf8'));
            else if (inner === 3)
                addCells(value, cells);
        }
    }
    const rows = [];
    for (let at = 0; at < cells.length; at += columns.length)
        rows.push(Object.fromEntries(columns.map((name, i) => [name, cells[at + i]])));
    return rows;
}

async function main() {
    const [requestPath, answerPath] = process.argv.slice(2);
    const request = JSON.parse(fs.readFileSync(requestPath, 'utf8'));
    const call = await startEngine(request.engine);
    const answer = request.traces.map(trace => {
        call(METHOD.reset);
        try {
            load(call, trace);
            return {rows: request.queries.map(sql => ask(call, sql))};
        } catch (error) {
            return {error: String(error.message ?? error)};
        }
    });
    fs.writeFileSync(answerPath, JSON.stringify(answer));
    process.exit(0);
}

main().catch(error => {
    process.stderr.write(`trace-query: ${error.stack ?? error}\n`);
    process.exit(1);
});
