// SPDX-License-Identifier: LGPL-2.1-or-later
// Carriers and operations written in JavaScript, for the tests.
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import Strideweave from 'gi://Strideweave?version=1';

import {skip, test} from './tap.js';

const {DType} = Strideweave;

// A flat Tensor on Generic.
export function vector(values) {
    return Strideweave.tensor(values, {carrier: Strideweave.Generic});
}

export function hierarchical(carrier = Strideweave.Generic) {
    return Strideweave.tensor(Array.from({length: 24}, (_, place) => place), {shape: [2, [3, 4]], carrier});
}

export function flat(carrier) {
    return new Strideweave.Tensor(carrier, 0, Strideweave.layout(carrier.size()));
}

export function evictable(values) {
    return flat(new Strideweave.Evictable(new Strideweave.Generic(values), new Strideweave.Generic([])));
}

// Anything at all in an array.
export const Listed = GObject.registerClass(class Listed extends Strideweave.Carrier {
    static operations = {};

    constructor(values, mutable = true, dtype = DType.ANY) {
        super();
        this.values = [...values];
        this.mutable = mutable;
        this.kind = dtype;
    }

    vfunc_size() {
        return this.values.length;
    }

    vfunc_dtype() {
        return this.kind;
    }

    vfunc_get_value(index) {
        return this.values[index];
    }

    vfunc_set_value(index, value) {
        this.values[index] = value;
    }

    vfunc_is_mutable() {
        return this.mutable;
    }

    vfunc_new_like(values, mutable, dtype) {
        return new this.constructor(values, mutable, dtype === DType.INVALID ? this.kind : dtype);
    }

    vfunc_allocate_like(size, mutable, dtype) {
        return new this.constructor(Array(size).fill(0), mutable, dtype === DType.INVALID ? this.kind : dtype);
    }

    vfunc_dispatch_op(name) {
        const operation = this.constructor.operations[name];
        return operation ? new operation() : super.vfunc_dispatch_op(name);
    }
});

// Does what its second input says.
export const Step = GObject.registerClass(class Step extends Strideweave.Operation {
    vfunc_compute(inputs) {
        const [tensor, callback] = inputs;
        return callback ? callback(tensor) : tensor;
    }
});

export const Outer = GObject.registerClass(class Outer extends Listed {
    static operations = {step: Step};
});

export const Middle = GObject.registerClass(class Middle extends Listed {
    static operations = {step: Step};
});

export const Inner = GObject.registerClass(class Inner extends Listed {
    static operations = {step: Step};
});

// Executes one dispatched "step" on a carrier of the class; inside of it, callback.
export function step(klass, callback = null) {
    const tensor = flat(new klass([1, 2]));
    return tensor.carrier.dispatch_op('step').forward([tensor, callback]);
}

export function raiser(error) {
    return () => {
        throw error;
    };
}

// A completed Profiler around callback ().
export function recorded(callback = () => Strideweave.relu(vector([1, -2])), options = {}) {
    const profiler = Strideweave.profile(options);
    profiler.run(callback);
    return profiler;
}

export function names(profiler) {
    return profiler.events().map(({name}) => name);
}

export function columnsOf(line) {
    return line.split(/ {2,}/).map(part => part.trim()).filter(Boolean);
}

// A test of how much memory the program has. A sanitizer keeps what was freed, so there is nothing to see with one.
export function testMemory(name, callback) {
    if (GLib.getenv('LD_PRELOAD')?.includes('asan'))
        skip(name, 'a sanitizer keeps what was freed');
    else
        test(name, callback);
}

export function residentPages() {
    const [, contents] = GLib.file_get_contents('/proc/self/statm');
    return Number(new TextDecoder().decode(contents).split(' ')[1]);
}
