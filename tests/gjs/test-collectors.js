// SPDX-License-Identifier: LGPL-2.1-or-later
// Collectors that are written in JavaScript: called on its one thread, whichever threads record. Given the name of a
// program below, it runs that instead, for the tests of how programs end.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import Strideweave from 'gi://Strideweave?version=1';
import System from 'system';

import {equal, finish, ok, test, throws, throwsThis} from './tap.js';

const {CompositeCollector, MemoryCollector, TraceContext, TraceVerbosity} = Strideweave;

const Own = GObject.registerClass(class OwnCollector extends Strideweave.Collector {
    events = [];
    calls = [];

    vfunc_emit(event) {
        this.events.push(event);
        return this.onEmit?.(event);
    }

    vfunc_flush() {
        this.calls.push('flush');
        if (this.onFlush)
            this.onFlush();
    }

    vfunc_close() {
        this.calls.push('close');
    }

    get names() {
        return this.events.map(({name}) => name);
    }
});

function recording(collector = new Own()) {
    const context = TraceContext.new();
    context.collector = collector;
    return [context, collector];
}

function spins(isDone) {
    const main = GLib.MainContext.default();
    while (!isDone())
        main.iteration(true);
}

// What a program below is to print, and to say of itself.
const PROGRAMS = {
    end() {
        const [context] = recording();
        for (let i = 0; i < 3; i++)
            context.instant('lost');
    },
    uncaught() {
        const [context] = recording();
        context.instant('lost');
        throw new Error('on purpose');
    },
    exit() {
        const [context] = recording();
        context.instant('lost');
        System.exit(3);
    },
    closed() {
        const [context, collector] = recording();
        context.instant('kept');
        collector.close();
        print(collector.names.join(), collector.calls.join());
    },
    dropped() {
        recording()[0].instant('lost');
        System.gc();
        System.gc();
    },
    default() {
        const context = TraceContext.get_default();
        context.collector = new Own();
        Strideweave.tensor([1, 2, 3]);
        context.instant('lost');
    },
};

function run(program) {
    const launcher = new Gio.SubprocessLauncher({
        flags: Gio.SubprocessFlags.STDOUT_PIPE | Gio.SubprocessFlags.STDERR_PIPE,
    });
    // An exception that nobody catches is a critical message of GJS's.
    launcher.unsetenv('G_DEBUG');
    const [path] = GLib.filename_from_uri(import.meta.url);
    const child = launcher.spawnv(['gjs', '-m', path, program]);
    const [, output, errors] = child.communicate_utf8(null, null);
    return {status: child.get_if_exited() ? child.get_exit_status() : -child.get_term_sig(), output, errors};
}

if (ARGV.length > 0) {
    PROGRAMS[ARGV[0]]();
} else {
    test('each event arrives, when it is asked for', () => {
        const [context, collector] = recording();
        context.span('outer', {arguments: {n: 1}}, () => context.instant('inner'));
        context.flush();
        equal(collector.names, ['inner', 'outer']);
        equal(collector.events[1].arguments, {n: 1});
        equal(collector.calls, ['flush']);
        context.instant('more');
        collector.flush();
        equal(collector.names, ['inner', 'outer', 'more']);
        context.instant('last');
        context.collector = null;
        equal(collector.names, ['inner', 'outer', 'more', 'last']);
        equal([collector.get_event_count(), collector.get_dropped_count(), collector.get_is_closed()], [4, 0, false]);
        collector.close();
        collector.close();
        equal([collector.get_is_closed(), collector.calls], [true, ['flush', 'flush', 'close']]);
    });

    test('events may be kept', () => {
        const [context, collector] = recording();
        for (let i = 0; i < 2000; i++)
            context.instant(`event ${i}`, {arguments: {text: 'x'.repeat(i % 50)}});
        context.flush();
        context.collector = null;
        System.gc();
        equal(collector.events.length, 2000);
        collector.events.forEach((event, i) => equal([event.name, event.arguments.text.length], [`event ${i}`, i % 50]));
    });

    test('the main loop brings what nobody asks for', () => {
        const [context, collector] = recording();
        for (let i = 0; i < 1000; i++)
            context.instant(`event ${i}`);
        equal(collector.events.length, 0);
        spins(() => collector.events.length === 1000);
        equal(collector.names, [...Array(1000).keys()].map(i => `event ${i}`));
        equal(collector.calls, []);
        context.collector = null;
    });

    test('events of other threads arrive on this one', () => {
        const [context, collector] = recording(new Own());
        const default_ = TraceContext.get_default();
        context.collector = null;
        default_.collector = collector;
        default_.verbosity = TraceVerbosity.FULL;
        default_.enabled = true;
        const n = 512;
        const values = Strideweave.tensor([...Array(n)].map((_, i) => [...Array(n)].map((__, k) => i + k)));
        Strideweave.matmul(values, values);
        default_.collector = null;
        ok(collector.names.includes('matmul'));
        equal(collector.get_dropped_count(), 0);
        equal(collector.get_event_count(), collector.events.length);
    });

    test('an exception comes out as itself, and stops nothing', () => {
        const [context, collector] = recording();
        const failure = new RangeError('mine');
        collector.onEmit = ({name}) => {
            if (name !== 'good')
                throw name === 'bad' ? failure : new Error('a later one');
        };
        for (const name of ['good', 'bad', 'good', 'worse', 'good'])
            context.instant(name);
        throwsThis(failure, () => context.flush());
        equal(collector.names, ['good', 'bad', 'good', 'worse', 'good']);
        equal([collector.get_event_count(), collector.get_dropped_count()], [3, 2]);
        context.flush();
        context.instant('bad');
        throwsThis(failure, () => collector.close());
        collector.close();
        equal(collector.get_dropped_count(), 3);
    });

    test('an exception after several that came out as one', () => {
        const collectors = [new Own(), new Own()];
        const [context] = recording(CompositeCollector.new(collectors));
        for (let round = 0; round < 20; round++) {
            collectors.forEach((collector, i) => {
                collector.onEmit = () => {
                    throw new RangeError(`mine ${i}`);
                };
            });
            context.instant('bad');
            context.instant('bad');
            throws(Strideweave.Error, /2 of 2 collectors failed: .*mine 0.*mine 1/, () => context.flush());
            const failure = new RangeError('alone');
            collectors[0].onEmit = () => {
                throw failure;
            };
            collectors[1].onEmit = null;
            context.instant('bad');
            if (round % 3 > 0)
                throwsThis(failure, () => context.flush());
            else
                throwsThis(failure, () => collectors[0].flush());
            context.flush();
        }
        context.collector = null;
    });

    test('an exception in flush, and an error of C', () => {
        const [context, collector] = recording();
        const failure = new TypeError('mine');
        collector.onFlush = () => {
            throw failure;
        };
        throwsThis(failure, () => context.flush());
        collector.onFlush = null;
        collector.onEmit = () => {
            throw new GLib.Error(Gio.io_error_quark(), Gio.IOErrorEnum.FAILED, 'no place for it');
        };
        context.instant('bad');
        throws(Gio.IOErrorEnum, /no place for it/, () => context.flush());
        collector.onEmit = () => 5;
        context.instant('bad');
        throws(TypeError, /OwnCollector.vfunc_emit\(\) must return a boolean or nothing, not number/, () => context.flush());
        collector.onEmit = () => false;
        context.instant('refused');
        context.flush();
        equal([collector.get_event_count(), collector.get_dropped_count()], [0, 3]);
        context.collector = null;
    });

    test('an exception in the main loop waits for the next flush', () => {
        const [context, collector] = recording();
        const failure = new Error('mine');
        collector.onEmit = () => {
            throw failure;
        };
        context.instant('bad');
        spins(() => collector.events.length === 1);
        throwsThis(failure, () => context.flush());
        context.collector = null;
    });

    test('several at once', () => {
        const Many = GObject.registerClass(class ManyCollector extends Strideweave.Collector {
            batches = [];

            vfunc_emit_many(events) {
                this.batches.push(events);
                throws(RangeError, /index is 3000, and emit_many was given \d+ events/, () => this.refuse(3000));
                events.forEach(({name}, i) => {
                    if (name === 'refused')
                        this.refuse(i);
                });
            }
        });
        const [context, collector] = recording(new Many());
        for (let i = 0; i < 2500; i++)
            context.instant(i % 10 === 0 ? 'refused' : 'taken');
        context.flush();
        equal(collector.batches.flat().length, 2500);
        ok(collector.batches.length < 10);
        equal(collector.batches.flat().filter(({name}) => name === 'taken').length, 2250);
        equal([collector.get_event_count(), collector.get_dropped_count()], [2250, 250]);
        throws(Strideweave.Error, /is not in emit_many on this thread/, () => collector.refuse(0));
        context.collector = null;
    });

    test('what a collector does while it is called', () => {
        const [context, collector] = recording();
        collector.onEmit = () => {
            context.instant('unseen');
            context.flush();
            collector.flush();
            GLib.MainContext.default().iteration(false);
        };
        for (let i = 0; i < 10; i++)
            context.instant('seen');
        context.flush();
        equal(collector.names, Array(10).fill('seen'));
        collector.onEmit = ({name}) => {
            if (name === 'close')
                collector.close();
        };
        for (const name of ['before', 'close', 'behind'])
            context.instant(name);
        context.flush();
        equal(collector.names.slice(10), ['before', 'close', 'behind']);
        equal([collector.calls.at(-1), collector.get_is_closed(), collector.get_dropped_count()], ['close', true, 0]);
    });

    test('beside others', () => {
        const memory = MemoryCollector.new(10);
        const collector = new Own();
        const composite = CompositeCollector.new([memory, collector]);
        const [context] = recording(composite);
        context.instant('first');
        context.flush();
        equal([memory.events().length, collector.names], [1, ['first']]);
        context.instant('second');
        context.collector = null;
        equal(collector.names, ['first', 'second']);
        composite.close();
        ok(collector.get_is_closed() && memory.get_is_closed());
        equal(composite.get_event_count(), 2);
    });

    test('what finds no room is counted', () => {
        const [context, collector] = recording();
        const text = 'x'.repeat(60000);
        for (let i = 0; i < 800; i++)
            context.instant('large', {arguments: {text}});
        context.collector = null;
        const dropped = collector.get_dropped_count(); // on the way to it, too
        ok(dropped > 0);
        equal(collector.events.length + dropped, 800);
        equal(collector.get_event_count(), collector.events.length);
        ok(collector.events.length * text.length < (34 << 20));
    });

    test('a context that is collected leaves its events to the main loop', () => {
        const collector = new Own();
        (() => recording(collector)[0].instant('seen'))();
        for (let i = 0; i < 5; i++)
            System.gc();
        equal(collector.names, []);
        spins(() => collector.events.length === 1);
    });

    await test('collectors go', async () => {
        // Each has a file open, which goes with it.
        const nFiles = () => [...Gio.File.new_for_path('/proc/self/fd').enumerate_children('standard::name', 0, null)].length;
        const n = 200;
        const before = nFiles();
        let most = 0;
        for (let i = 0; i < n; i++) {
            const [context, collector] = recording();
            collector.file = Gio.File.new_for_path('/dev/null').read(null);
            most = Math.max(most, nFiles());
            context.instant('seen');
            context.collector = null;
        }
        ok(most > before);
        for (let round = 0; round < 100 && nFiles() > before + 2; round++) {
            await new Promise(resolve => GLib.idle_add(GLib.PRIORITY_LOW, () => {
                resolve();
                return GLib.SOURCE_REMOVE;
            }));
            System.gc();
        }
        // The last one may still stand on the stack.
        ok(nFiles() <= before + 2, `of ${n} files ${nFiles() - before} are open still, which`);
    });

    test('bad input', () => {
        const collector = new Own();
        throws(Strideweave.Error, /is bound to a thread already/, () => collector.bind_to_thread(null));
        throws(Strideweave.Error, /cannot be bound/, () => MemoryCollector.new(1).bind_to_thread(null));
        throws(TypeError, /is closed: it cannot be subclassed/, () =>
            GObject.registerClass(class Memory extends MemoryCollector {}));
        const Nothing = GObject.registerClass(class NothingCollector extends Strideweave.Collector {});
        const [context] = recording(new Nothing());
        context.instant('seen');
        throws(Strideweave.Error, /NothingCollector does not implement emit/, () => context.flush());
        context.collector = null;
        throws(TypeError, /collector must be a Collector, not number/, () => {
            context.collector = 5;
        });
    });

    const LOST = /([0-9]+) events? did not reach the collector Gjs_OwnCollector/;
    for (const [program, status, lost] of [['end', 0, 3], ['uncaught', 1, 1], ['exit', 3, 1], ['dropped', 0, 1]]) {
        test(`the end of a program: ${program}`, () => {
            const result = run(program);
            equal([result.status, result.output], [status, '']);
            equal(Number(LOST.exec(result.errors)?.[1]), lost);
            ok(!/CRITICAL(?!.*(on purpose|threw an exception))/.test(result.errors), result.errors);
        });
    }

    test('the end of a program: default', () => {
        const result = run('default');
        equal(result.status, 0);
        ok(LOST.test(result.errors), result.errors);
    });

    test('the end of a program: closed', () => {
        equal(run('closed'), {status: 0, output: 'kept close\n', errors: ''});
    });

    finish();
}
