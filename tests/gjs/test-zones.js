// SPDX-License-Identifier: LGPL-2.1-or-later
// Zones and frames around functions, and which ZoneProfiler they go to.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import System from 'system';
import Strideweave from 'gi://Strideweave?version=1';

import {step, Outer, vector} from './helpers.js';
import {equal, finish, ok, rejects, test, throws, throwsError, throwsThis} from './tap.js';

const {currentProfiler, currentProfilerOrNull, profileFrame, profileFunction, profileZone, ZoneProfiler} = Strideweave;

// The trace of a function that runs with a ZoneProfiler of its own.
function traced(callback, desc = {enableAutoZones: false}) {
    const profiler = new ZoneProfiler(desc);
    profiler.startCapture();
    const finished = trace => [profiler.stopCapture(), trace][0];
    const result = profiler.run(callback);
    return typeof result?.then === 'function' ? result.then(finished) : finished(result);
}

// [name, name of the parent or null], in the order in which zones began.
function shape(trace) {
    const zones = [...trace];
    const byStart = [...zones].sort((a, b) => Number(a.startNs - b.startNs) || b.index - a.index);
    return byStart.map(({name, parentIndex}) => [name, parentIndex === null ? null : zones[parentIndex].name]);
}

function siteCount() {
    let count = 0;
    while (Strideweave.ProfilerSite.lookup(count + 1) !== null)
        count += 1;
    return count;
}

function turn() {
    return new Promise(resolve => GLib.idle_add(GLib.PRIORITY_DEFAULT, () => {
        resolve();
        return GLib.SOURCE_REMOVE;
    }));
}

function assertFailsBecauseOfState(callback) {
    return throwsError(Strideweave.Error, Strideweave.Error.STATE, callback);
}

// --- First of all: this process has no profiler yet ---

test('nothing is recorded without a profiler', () => {
    equal(currentProfilerOrNull(), null);
    ok(/no current ZoneProfiler/.test(assertFailsBecauseOfState(currentProfiler).message));
    const before = siteCount();
    equal(profileZone('nowhere', () => 1), 1);
    equal(profileFrame('nowhere', () => 2), 2);
    equal(profileFunction(function named() {
        return 3;
    })(), 3);
    throws(RangeError, /^mine$/, () => profileZone('nowhere', () => {
        throw new RangeError('mine');
    }));
    equal(siteCount(), before);
    equal(Strideweave.profile_zone_begin(1), 0);
    ok(Strideweave.profile_zone_end(0));
});

const standing = new ZoneProfiler();

test('the first profiler is current, and entering selects others', () => {
    ok(currentProfiler() === standing);
    const other = new ZoneProfiler();
    ok(currentProfiler() === standing);
    other.run(inner => {
        ok(inner === other);
        ok(currentProfiler() === other);
        standing.run(() => ok(currentProfiler() === standing));
        ok(currentProfiler() === other);
    });
    ok(other.enter() === other);
    assertFailsBecauseOfState(() => standing.exit());
    equal(other.exit(), false);
    ok(currentProfiler() === standing);
    equal(other.withdraw(), false);
});

test('zones nest, and return what the function returns', () => {
    const trace = traced(() => {
        equal(profileZone('outer', () => profileZone('inner', () => 'result')), 'result');
        profileZone('second', () => {});
    });
    equal(shape(trace), [['outer', null], ['inner', 'outer'], ['second', null]]);
});

test('what a function throws comes out, and the zones have ended', () => {
    const thrown = {};
    const trace = traced(() => {
        throwsThis(thrown, () => profileFrame('frame', () => profileZone('outer', () => profileZone('inner', () => {
            throw thrown;
        }))));
        profileZone('after', () => {});
    });
    equal(shape(trace), [['outer', null], ['inner', 'outer'], ['after', null]]);
    equal(trace.frames.length, 1);
});

test('a result whose then throws ends its zone', () => {
    const trace = traced(() => {
        throws(RangeError, /^then$/, () => profileZone('odd', () => ({
            get then() {
                throw new RangeError('then');
            },
        })));
        profileZone('after', () => {});
    });
    equal(shape(trace), [['odd', null], ['after', null]]);
});

// --- Sites ---

test('a site is where a name was first used with a function of that text', () => {
    function caller(name) {
        profileZone(name, () => name);
    }
    const trace = traced(() => {
        for (let round = 0; round < 3; round++)
            caller('by text');
        profileZone('by text', () => 'another text');
    });
    const sites = trace.sites.filter(({name}) => name === 'by text');
    equal(sites.length, 2);
    for (const {file} of sites)
        equal(GLib.path_get_basename(file), 'test-zones.js');
    ok(sites.some(site => site.function === 'caller'), sites.join());
    const line = Number(new Error().stack.match(/:(\d+):\d+/)[1]);
    ok(sites.every(site => site.line < line && site.line > line - 20), sites.join());
    equal(trace.queryZones({name: 'by text'}).count, 4);
});

test('a hundred names through one function have a hundred sites, however many came before', () => {
    const names = Array.from({length: 100}, (_, place) => `dynamic ${place}`);
    const trace = traced(() => {
        for (let number = 0; number < 3000; number++)
            profileZone(`filling ${number}`, () => {});
        for (const name of names)
            profileZone(name, () => {});
    });
    equal(names.map(name => trace.queryZones({name}).count), names.map(() => 1));
    equal(trace.zoneCount, 3100);
});

test('the same place has the same site after the cache was full', () => {
    const place = () => traced(() => profileZone('kept', () => {})).sites[0].id;
    const first = place();
    traced(() => {
        for (let number = 0; number < 2000; number++)
            profileZone(`filling ${number}`, () => {});
    });
    equal(place(), first);
});

test('names that are no text of C', () => {
    const trace = traced(() => {
        profileZone('', () => {});
        profileZone('a\0b', () => {});
        profileZone('\ud800', () => {});
        profileFrame('c\0d', () => profileZone('ünï \u{1f980}', () => {}));
    });
    equal(trace.zoneCount, 4);
    equal(trace.queryZones({name: 'ünï \u{1f980}'}).count, 1);
    equal([...trace][1].name, 'a\ufffdb');
    equal(trace.frames[0].name, 'c\ufffdd');
});

test('what is no name or no function', () => {
    for (const name of [undefined, null, 1, {}, Symbol.iterator]) {
        throws(TypeError, /name must be a string/, () => profileZone(name, () => {}));
        throws(TypeError, /name must be a string/, () => profileFrame(name, () => {}));
    }
    for (const callback of [undefined, null, 1, 'text', {}, Promise.resolve()]) {
        throws(TypeError, /callback must be a function/, () => profileZone('name', callback));
        throws(TypeError, /callback must be a function/, () => profileFrame('name', callback));
        throws(TypeError, /callback must be a function/, () => standing.run(callback));
        throws(TypeError, /callback must be a function/, () => profileFunction(callback));
    }
    throws(TypeError, /name must be given/, () => profileFunction(() => {}));
    throws(TypeError, /name must be a string/, () => profileFunction(() => {}, 7));
    throws(TypeError, /encoder must be a ProfilerEncoder/, () => profileZone('name', () => {}, new Gio.SimpleAction({name: 'a'})));
    throws(TypeError, /encoder must be/, () => profileZone('name', () => {}, 'encoder'));
});

// --- Functions ---

test('a profiled function does the same, and is a zone', () => {
    class Scene {
        constructor() {
            this.factor = 2;
        }

        scale = profileFunction(function scale(a, b = 1) {
            return [this.factor * a, b];
        });
    }
    const scene = new Scene();
    equal([scene.scale.name, scene.scale.length], ['scale', 1]);
    const trace = traced(() => {
        equal(scene.scale(3), [6, 1]);
        equal(profileFunction(x => x, 'named')(4), 4);
    });
    equal(shape(trace), [['scale', null], ['named', null]]);
    const [{site}] = trace;
    equal([site.function, GLib.path_get_basename(site.file)], ['scale', 'test-zones.js']);
    ok(site.line > 0);
});

test('the zone of a generator lasts from its first step to its end', () => {
    const steps = profileFunction(function* steps(count) {
        for (let number = 0; number < count; number++)
            yield profileZone('step', () => number);
        return 'done';
    });
    const trace = traced(() => {
        const unused = steps(3);
        ok(unused !== null);
        equal([...steps(2)], [0, 1]);
        for (const number of steps(5)) {
            if (number === 1)
                break;
        }
    });
    equal(shape(trace), [['steps', null], ['step', 'steps'], ['step', 'steps'],
        ['steps', null], ['step', 'steps'], ['step', 'steps']]);
});

// --- Promises ---

await test('a zone lasts until its promise settles', async () => {
    const trace = await traced(async () => {
        equal(await profileZone('waiting', async () => {
            await turn();
            profileZone('inside', () => {});
            await turn();
            return 7;
        }), 7);
        await rejects(RangeError, /^late$/, profileZone('failing', async () => {
            await turn();
            throw new RangeError('late');
        }));
        equal(await profileFunction(async function slow(value) {
            await turn();
            return value;
        })(8), 8);
        equal(await profileFrame('frame', async () => {
            await turn();
            return profileZone('in frame', () => 9);
        }), 9);
    });
    equal(shape(trace), [['waiting', null], ['inside', 'waiting'], ['failing', null], ['slow', null], ['in frame', null]]);
    equal([...trace].at(-1).frameIndex, 0);
});

await test('an async generator', async () => {
    const trace = await traced(async () => {
        const numbers = [];
        for await (const number of profileFunction(async function* count() {
            yield 1;
            await turn();
            yield 2;
        })())
            numbers.push(number);
        equal(numbers, [1, 2]);
    });
    equal(shape(trace), [['count', null]]);
});

await test('promises that interleave end in any order', async () => {
    const order = [];
    const profiler = new ZoneProfiler();
    profiler.startCapture();
    const task = (name, turns) => profileZone(name, async () => {
        for (let number = 0; number < turns; number++)
            await turn();
        order.push(name);
    });
    await profiler.run(() => Promise.all([task('first', 1), task('second', 3), task('third', 2)]));
    profiler.run(() => profileZone('after', () => {}));
    const trace = profiler.stopCapture();
    equal(order, ['first', 'third', 'second']);
    equal(['first', 'second', 'third', 'after'].map(name => trace.queryZones({name}).count), [1, 1, 1, 1]);
    equal(shape(trace).at(-1), ['after', null]);
    const {emittedCount, recordedCount, misplacedEndCount} = profiler.diagnostics();
    equal([emittedCount, recordedCount], [4, 4]);
    ok(misplacedEndCount > 0);
});

await test('runs of several profilers end in any order', async () => {
    const first = new ZoneProfiler();
    const second = new ZoneProfiler();
    let finishFirst;
    const running = first.run(() => new Promise(resolve => (finishFirst = resolve)));
    const other = second.runAsync(async () => {
        ok(currentProfiler() === second);
        finishFirst('first');
        equal(await running, 'first');
        ok(currentProfiler() === second);
        return 'second';
    });
    equal(await other, 'second');
    ok(currentProfiler() === standing);
    await rejects(RangeError, /^no$/, first.runAsync(() => {
        throw new RangeError('no');
    }));
    throws(RangeError, /^no$/, () => first.run(() => {
        throw new RangeError('no');
    }));
    ok(currentProfiler() === standing);
});

test('a zone stays with the profiler that it began with', () => {
    const first = new ZoneProfiler();
    const second = new ZoneProfiler();
    first.startCapture();
    second.startCapture();
    first.run(() => profileZone('of the first', () => second.run(() => profileZone('of the second', () => {}))));
    equal(shape(first.stopCapture()), [['of the first', null]]);
    equal(shape(second.stopCapture()), [['of the second', null]]);
});

// --- Frames ---

test('frames have numbers, and zones are in them', () => {
    const trace = traced(() => {
        profileZone('outside', () => {});
        for (let number = 0; number < 3; number++)
            profileFrame('frame', () => profileZone('inside', () => {}));
        equal(profileFrame(() => 5), 5);
    });
    equal(trace.frames.map(({index, name}) => [index, name]), [[0, 'frame'], [1, 'frame'], [2, 'frame'], [3, 'frame']]);
    equal([...trace].map(({frameIndex}) => frameIndex), [null, 0, 1, 2]);
    equal(trace.queryZones({frameBegin: 1, frameEnd: 3}).count, 2);
});

await test('a frame within a frame', async () => {
    const trace = await traced(async () => {
        profileFrame('outer', () => {
            ok(/already active/.test(assertFailsBecauseOfState(() => profileFrame('inner', () => {
                throw new Error('must not run');
            })).message));
        });
        const waiting = profileFrame('waiting', turn);
        assertFailsBecauseOfState(() => profileFrame('another', () => {}));
        await waiting;
        profileFrame('last', () => {});
    });
    equal(trace.frames.map(({name}) => name), ['outer', 'waiting', 'last']);
});

// --- Switches, drops ---

test('a disabled profiler records nothing and registers nothing', () => {
    const profiler = new ZoneProfiler();
    profiler.startCapture();
    profiler.run(() => {
        profileZone('recorded', () => (profiler.enabled = false));
        const before = siteCount();
        equal(profileZone('not recorded', () => profileFrame('no frame', () => 6)), 6);
        equal(siteCount(), before);
        equal(`${profiler}`, 'ZoneProfiler(disabled, capturing)');
        profiler.enabled = true;
        profileZone('again', () => {});
    });
    equal(shape(profiler.stopCapture()), [['recorded', null], ['again', null]]);
});

test('operations are zones', () => {
    const work = () => profileZone('mine', () => step(Outer));
    const automatic = shape(traced(work, {}));
    equal(automatic.slice(0, 2), [['mine', null], ['Outer::step', 'mine']]);
    equal(shape(traced(work)), [['mine', null]]);
    const profiler = new ZoneProfiler({enableAutoZones: false});
    profiler.startCapture();
    profiler.run(() => {
        Strideweave.relu(vector([1]));
        profiler.enableAutoZones = true;
        Strideweave.relu(vector([1]));
    });
    equal(profiler.stopCapture().zoneCount, 1);
});

test('zones deeper than the limit are dropped and counted, and nothing else is', () => {
    const profiler = new ZoneProfiler();
    profiler.startCapture();
    const nest = depth => depth === 0 ? 'bottom' : profileZone('level', () => nest(depth - 1));
    equal(profiler.run(() => nest(100)), 'bottom');
    const trace = profiler.stopCapture();
    equal([trace.zoneCount, trace.diagnostics.producerDropCount, trace.diagnostics.stackFullCount], [64, 36, 36]);
});

test('tokens that are none', () => {
    for (const token of [-1, 1.5, 2n ** 64n])
        throws(RangeError, /token is/, () => Strideweave.profile_zone_end(token));
    throws(TypeError, /token must be/, () => Strideweave.profile_zone_end('1'));
    assertFailsBecauseOfState(() => Strideweave.profile_zone_end(123456789));
    assertFailsBecauseOfState(() => Strideweave.profile_frame_end(123456789));
    throws(TypeError, /site_id/, () => Strideweave.profile_zone_begin('one'));
    throws(RangeError, /site_id/, () => Strideweave.profile_zone_begin(-1));
    equal(Strideweave.profile_zone_begin(2 ** 32 - 1), 0);
    const token = standing.run(() => Strideweave.profile_zone_begin(1));
    ok(Number.isSafeInteger(token) && token > 0);
    ok(Strideweave.profile_zone_end(token));
    assertFailsBecauseOfState(() => Strideweave.profile_zone_end(token));
});

test('a profiler that goes while its zone is open harms nothing', () => {
    let profiler = new ZoneProfiler();
    profiler.enter();
    equal(profileZone('open', () => {
        profiler.exit();
        profiler = null;
        System.gc();
        return 4;
    }), 4);
    ok(currentProfiler() === standing);
});

finish();
