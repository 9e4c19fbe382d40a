// SPDX-License-Identifier: LGPL-2.1-or-later
// Results as data: statistics, columns, text, saved profilers and list models.
import Strideweave from 'gi://Strideweave?version=1';

import {evictable, recorded, vector} from './helpers.js';
import {equal, finish, ok, test, throws} from './tap.js';

const {profile, ProfilerAggregate} = Strideweave;
const STATISTICS = ['p50TimeNs', 'p90TimeNs', 'p99TimeNs', 'stddevTimeNs', 'totalPercent', 'selfTotalPercent'];

function many() {
    const profiler = profile({recordShapes: true});
    profiler.run(() => {
        for (let n = 0; n < 50; n++)
            Strideweave.relu(vector([1, -2]));
        Strideweave.relu(evictable([1]));
    });
    return profiler;
}

// As NumPy computes it.
function percentile(sorted, fraction) {
    const position = (sorted.length - 1) * fraction;
    const below = Math.floor(position);
    const above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (sorted[above] - sorted[below]) * (position - below);
}

function near(actual, expected) {
    ok(Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected)), `${actual} is not ${expected}`);
}

// --- Statistics ---

test('statistics of rows', () => {
    const profiler = many();
    const rows = profiler.keyAverages({statistics: true});
    const outermost = [...profiler].filter(event => event.parentId === null);
    const whole = outermost.reduce((sum, event) => sum + event.durationNs, 0);
    equal(rows.length, 2);
    for (const row of rows) {
        const times = [...profiler].filter(event => event.carrierType === row.carrierType)
            .map(event => event.durationNs).sort((a, b) => a - b);
        near(row.p50TimeNs, percentile(times, 0.5));
        near(row.p90TimeNs, percentile(times, 0.9));
        near(row.p99TimeNs, percentile(times, 0.99));
        const variance = times.reduce((sum, time) => sum + (time - row.meanTimeNs) ** 2, 0) / times.length;
        near(row.stddevTimeNs, Math.sqrt(variance));
        near(row.totalPercent, 100 * row.totalTimeNs / whole);
    }
    near(rows.reduce((sum, row) => sum + row.selfTotalPercent, 0), 100);
});

test('rows without statistics', () => {
    const profiler = many();
    const [row] = profiler.keyAverages();
    const [full] = profiler.dup_key_statistics(false);
    equal(STATISTICS.map(name => row[name]), [null, null, null, null, null, null]);
    ok(STATISTICS.every(name => typeof full[name] === 'number') && row.equals(full) && `${row}` === `${full}`);
    equal(new ProfilerAggregate('relu', Strideweave.CPU, null, 1, 2, 3, 4, 5, 6).p50TimeNs, null);
    throws(TypeError, /statistics/, () => profiler.keyAverages({statistics: 1}));
    equal([row.carrierName, [...profiler][0].carrierName], ['Strideweave.Evictable', 'Strideweave.Generic']);
    ok([...profiler][0].implementationName.endsWith('ReLUOperation'));
});

test('columns of the table', () => {
    const profiler = many();
    equal(profiler.table({columns: []}), profiler.table());
    for (const names of [['p99TimeNs', 'totalPercent'], ['p99_time_ns', 'total_percent']]) {
        const [header, , first] = profiler.table({columns: names, sortBy: names[0]}).split('\n');
        ok(/Max \(ns\) +p99 \(ns\) +Total %$/.test(header), header);
        const rows = [...profiler.keyAverages({statistics: true})].sort((a, b) => b.p99TimeNs - a.p99TimeNs);
        ok(first.endsWith(rows[0].totalPercent.toFixed(2)), first);
    }
    for (const wrong of ['p99TimeNs', null, 5])
        throws(TypeError, /columns/, () => profiler.table({columns: wrong}));
    throws(TypeError, /columns\[0\]/, () => profiler.table({columns: [5]}));
    throws(RangeError, /columns\[0\] is p98TimeNs/, () => profiler.table({columns: ['p98TimeNs']}));
    throws(RangeError, /twice/, () => profiler.table({columns: ['p99TimeNs', 'p99_time_ns']}));
    throws(RangeError, /sort field/, () => profiler.table({sortBy: 'p99TimeNs'}));
    throws(RangeError, /'count'/, () => profiler.dup_table_with_columns(['count'], null, true, false, -1));
});

finish();
