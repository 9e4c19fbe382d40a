// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs workload.txt in GJS and prints what was recorded.
import Gio from 'gi://Gio';
import GObject from 'gi://GObject';
import System from 'system';
import Fixture from 'gi://Fixture?version=1';
import Strideweave from 'gi://Strideweave?version=1';

const {Carrier, CPU, DType, Evictable, Generic, Operation, Profiler, Tensor} = Strideweave;

const SORT_FIELDS = ['name', 'carrierType', 'inputShapes', 'count', 'totalTimeNs', 'selfTotalTimeNs', 'meanTimeNs',
    'minTimeNs', 'maxTimeNs'];
const BLOCKS = ['profile', 'step', 'throw', 'repeat'];

class Thrown extends Error {}

// Runs a block of the script.
const Step = GObject.registerClass(class Step extends Operation {
    vfunc_compute([tensor, block]) {
        block();
        return tensor;
    }
});

const Lowering = GObject.registerClass(class Lowering extends Operation {
    constructor(carrier, name) {
        super();
        this.carrier = carrier;
        this.name = name;
    }

    vfunc_compute(inputs, options) {
        const {carrier} = this;
        Fixture.advance_clock(carrier.constructor.cost);
        const lowered = [...inputs].map(input => input instanceof Tensor ? carrier.lower(input) : input);
        const result = carrier.inner.dispatch_op(this.name).lower(lowered, options);
        if (this.name === 'exp' && carrier instanceof Twin)
            throw new Thrown('Twin cannot take exponentials');
        return new Tensor(new carrier.constructor(result.carrier), result.offset, result.layout);
    }
});

const Adapter = GObject.registerClass(class Adapter extends Carrier {
    static cost = 0;

    constructor(inner) {
        super();
        this.inner = inner;
    }

    lower(tensor) {
        if (!(tensor.carrier instanceof Adapter))
            return tensor;
        return new Tensor(tensor.carrier.inner, tensor.offset, tensor.layout);
    }

    vfunc_size() {
        return this.inner.size();
    }

    vfunc_dtype() {
        return this.inner.dtype();
    }

    vfunc_get_value(index) {
        return this.inner.get(index);
    }

    vfunc_dispatch_op(name) {
        return name === 'step' ? new Step() : new Lowering(this, name);
    }
});

const First = GObject.registerClass(class First extends Adapter {
    static cost = 3;
});

const Second = GObject.registerClass(class Second extends Adapter {
    static cost = 20;
});

const Twin = GObject.registerClass(class Twin extends Adapter {});

const CLASSES = {Generic, CPU, Evictable, First, Second, Twin, Step, Lowering};

function values(size) {
    return Array.from({length: size}, (_, index) => (index + 1) * (index % 2 === 0 ? -1 : 1));
}

function makeCarrier(name, size) {
    if (name === 'Generic')
        return new Generic(values(size), {dtype: DType.FLOAT32});
    if (name === 'CPU') {
        const carrier = new CPU(size);
        values(size).forEach((value, index) => carrier.set(index, value));
        return carrier;
    }
    return new Evictable(makeCarrier('Generic', size), makeCarrier('Generic', 0));
}

// "(2,(3,4))" as nested arrays
function parseShape(text) {
    return JSON.parse(text.replaceAll(',)', ')').replaceAll('(', '[').replaceAll(')', ']'));
}

function makeTensor(chain, shapeText) {
    const layout = Strideweave.layout(parseShape(shapeText));
    const names = chain.split('/');
    let carrier = makeCarrier(names.pop(), layout.size);
    for (const name of names.reverse())
        carrier = new CLASSES[name](carrier);
    return new Tensor(carrier, 0, layout);
}

function shapesText(shapes) {
    if (!Array.isArray(shapes))
        return shapes === null ? 'None' : String(shapes);
    return shapes.length === 1 ? `(${shapesText(shapes[0])},)` : `(${shapes.map(shapesText).join(', ')})`;
}

function bits(double) {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, double);
    return view.getBigUint64(0).toString(16).padStart(16, '0');
}

// What C calls a field.
function inC(field) {
    return field.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}

function kindOf(error) {
    const kinds = {thrown: Thrown, type: TypeError, value: RangeError, state: Strideweave.Error};
    for (const [kind, klass] of Object.entries(kinds)) {
        if (error instanceof klass)
            return kind;
    }
    throw error;
}

class Runner {
    tensors = new Map();
    profilers = new Map();

    constructor(lines) {
        this.lines = lines;
    }

    // Runs the commands from a line on, until its "end".
    block(place) {
        while (place < this.lines.length) {
            const [command, ...words] = this.lines[place];
            place += 1;
            if (command === 'end')
                return;
            if (BLOCKS.includes(command)) {
                this[command](place, ...words);
                place = this.skip(place);
            } else {
                this[command](...words);
            }
        }
    }

    skip(place) {
        for (let depth = 1; depth > 0; place++) {
            const [command] = this.lines[place];
            depth += command === 'end' ? -1 : Number(BLOCKS.includes(command));
        }
        return place;
    }

    // --- Commands with a block ---

    profile(place, name, ...words) {
        const options = {recordShapes: words.includes('shapes')};
        const carriers = words.find(word => word.startsWith('carriers='));
        if (carriers !== undefined)
            options.carriers = carriers.split('=')[1].split(',').filter(Boolean).map(each => CLASSES[each]);
        const profiler = Strideweave.profile(options);
        profiler.run(() => this.block(place));
        this.profilers.set(name, profiler);
    }

    step(place, name) {
        const tensor = this.tensors.get(name);
        tensor.carrier.dispatch_op('step').forward([tensor, () => this.block(place)]);
    }

    throw(place, name) {
        const tensor = this.tensors.get(name);
        const thrown = new Thrown('thrown');
        try {
            tensor.carrier.dispatch_op('step').forward([tensor, () => {
                this.block(place);
                throw thrown;
            }]);
        } catch (error) {
            if (error !== thrown)
                throw error;
            print('caught throw');
        }
    }

    repeat(place, times) {
        for (let i = 0; i < Number(times); i++)
            this.block(place);
    }

    // --- Commands of one line ---

    name(klass, text) {
        Profiler.set_type_name(CLASSES[klass].$gtype, text);
    }

    clock(now, step) {
        Fixture.set_clock(BigInt(now), Number(step));
    }

    advance(ns) {
        Fixture.advance_clock(Number(ns));
    }

    tensor(name, chain, shape) {
        this.tensors.set(name, makeTensor(chain, shape));
    }

    release(name) {
        this.tensors.get(name).carrier.release();
    }

    argument(word) {
        if (word.startsWith('options:')) {
            const [, name, dtype] = word.split(':');
            return Strideweave.executionOptions(name, {accumulatorDtype: DType[dtype]});
        }
        if (this.tensors.has(word))
            return this.tensors.get(word);
        if (word.startsWith('\''))
            return word.slice(1, -1);
        return parseShape(word);
    }

    call(name, words) {
        return Strideweave[name](...words.map(word => this.argument(word)));
    }

    run(name, ...words) {
        this.call(name, words);
    }

    let(result, name, ...words) {
        this.tensors.set(result, this.call(name, words));
    }

    fail(name, ...words) {
        try {
            this.call(name, words);
        } catch (error) {
            print(`caught ${name} ${kindOf(error)}`);
            return;
        }
        throw new Error(`${name} did not fail`);
    }

    lookup(name, tensor) {
        this.tensors.get(tensor).carrier.dispatch_op(name);
    }

    direct(tensor) {
        new Step().forward([this.tensors.get(tensor), () => null]);
    }

    move() {
        Strideweave.move(makeTensor('Generic', '(2,)'), makeCarrier('CPU', 2));
    }

    refuse() {
        const profiler = Strideweave.profile();
        for (let attempt = 0; attempt < 2; attempt++) {
            try {
                profiler.enter();
            } catch (error) {
                print(`refused ${kindOf(error)}`);
                continue;
            }
            throw new Error('a second profiler was entered');
        }
    }

    // --- Results ---

    printEvent(event) {
        print(`event ${event.id} parent=${event.parentId ?? '-'} name=${event.name} carrier=${event.carrierType.name} ` +
            `implementation=${event.implementationType.name} shapes=${shapesText(event.inputShapes)} ` +
            `start=${event.startTimeNsBig} duration=${event.durationNs} self=${event.selfTimeNs} ` +
            `${event.succeeded ? 'succeeded' : 'failed'}`);
    }

    printRow(row) {
        print(`row name=${row.name} carrier=${row.carrierType.name} shapes=${shapesText(row.inputShapes)} ` +
            `count=${row.count} total=${row.totalTimeNs} self=${row.selfTotalTimeNs} mean=${bits(row.meanTimeNs)} ` +
            `min=${row.minTimeNs} max=${row.maxTimeNs}`);
    }

    printTable(profiler, title, options) {
        print(`table ${title}`.trimEnd());
        print(profiler.table(options));
    }

    show(name) {
        const profiler = this.profilers.get(name);
        print(`profiler ${name} threads=${new Set(profiler.events().map(({threadId}) => threadId)).size}`);
        for (const event of profiler)
            this.printEvent(event);
        this.summary(name);
    }

    summary(name) {
        const profiler = this.profilers.get(name);
        for (const groupByInputShape of [false, true]) {
            print(groupByInputShape ? 'rows by shape' : 'rows');
            for (const row of profiler.keyAverages({groupByInputShape}))
                this.printRow(row);
        }
        this.printTable(profiler, '');
    }

    tables(name) {
        const profiler = this.profilers.get(name);
        for (const sortBy of SORT_FIELDS) {
            for (const descending of [true, false]) {
                for (const groupByInputShape of [false, true]) {
                    const title = `${inC(sortBy)}${descending ? ' descending' : ''}${groupByInputShape ? ' by shape' : ''}`;
                    this.printTable(profiler, title, {sortBy, descending, groupByInputShape});
                }
            }
        }
        for (const rowLimit of [0, 1, 2, 1000000])
            this.printTable(profiler, `limit ${rowLimit}`, {rowLimit});
    }
}

const [, contents] = Gio.File.new_for_path(System.programArgs[0]).load_contents(null);
const lines = new TextDecoder().decode(contents).split('\n').map(line => line.split(/\s+/).filter(Boolean));
new Runner(lines.filter(words => words.length > 0 && words[0] !== '#')).block(0);
Fixture.unset_clock();
