// SPDX-License-Identifier: LGPL-2.1-or-later
// Results as data: statistics, columns, text, saved profilers and list models.
import Gio from 'gi://Gio';
import Strideweave from 'gi://Strideweave?version=1';

import {evictable, vector} from './helpers.js';
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

// --- Columns ---

test('events as columns', () => {
    const profiler = many();
    const events = [...profiler];
    const columns = profiler.eventColumns();
    equal(columns.length, events.length);
    ok(columns.durationNs instanceof BigInt64Array && columns.parentId instanceof Int32Array &&
        columns.threadId instanceof BigUint64Array && columns.succeeded instanceof Uint8Array);
    equal([...columns.durationNs].map(Number), events.map(event => event.durationNs));
    equal([...columns.startTimeNs], events.map(event => event.startTimeNsBig));
    equal([...columns.parentId], events.map(event => event.parentId ?? -1));
    equal([...columns.name].map(name => columns.labels.name[name]), events.map(event => event.name));
    equal([...columns.carrierType].map(type => columns.labels.carrierType[type]), events.map(event => event.carrierName));
    equal([...columns.inputShapes].map(shapes => columns.labels.inputShapes[shapes] ?? null),
        events.map(event => event.inputShapes));
    columns.durationNs.fill(0n);
    equal([...profiler.eventColumns().durationNs].map(Number), events.map(event => event.durationNs));
});

test('rows as columns', () => {
    const profiler = many();
    const columns = profiler.aggregateColumns({groupByInputShape: true});
    const rows = profiler.keyAverages({groupByInputShape: true, statistics: true});
    equal([...columns.p99TimeNs], rows.map(row => row.p99TimeNs));
    equal([...columns.count].map(Number), rows.map(row => row.count));
    equal(profiler.aggregateColumns({statistics: false}).p99TimeNs, undefined);
    throws(TypeError, /statistics/, () => profiler.aggregateColumns({statistics: 1}));
    throws(RangeError, /order/, () => profiler.tabulate_events(7));
});

// --- Text and files ---

test('comma-separated values', () => {
    const profiler = many();
    const [header, ...lines] = profiler.toCSV().split('\r\n');
    ok(header.startsWith('id,parent_id,name,carrier_type,'), header);
    equal(lines.length, profiler.count_events() + 1);
    ok(lines[0].startsWith('0,,relu,Strideweave.Generic,') && lines[0].endsWith(',true'), lines[0]);
    ok(/,p99_time_ns,/.test(profiler.toCSV({aggregates: true, statistics: true})));
    throws(RangeError, /aggregates: true/, () => profiler.toCSV({statistics: true}));
});

function temporary(use) {
    const [file, stream] = Gio.File.new_tmp('strideweave-XXXXXX');
    stream.close(null);
    try {
        use(file);
    } finally {
        file.delete(null);
    }
}

function textOf(file) {
    return new TextDecoder().decode(file.load_contents(null)[1]);
}

test('files', () => {
    temporary(file => {
        const profiler = many();
        profiler.save_json(file.get_path());
        equal(textOf(file), profiler.dup_json());
        equal(JSON.parse(profiler.dup_json()).events.length, profiler.count_events());
        profiler.save_events_csv(file.get_path());
        equal(textOf(file), profiler.toCSV());
        profiler.save_aggregates_csv(file.get_path(), true, true);
        equal(textOf(file), profiler.toCSV({aggregates: true, groupByInputShape: true, statistics: true}));
    });
});

test('saved profilers', () => {
    temporary(file => {
        const profiler = many();
        profiler.save(file.get_path());
        const loaded = Strideweave.Profiler.load(file.get_path());
        equal(loaded.table({groupByInputShape: true}), profiler.table({groupByInputShape: true}));
        equal(loaded.dup_json(), profiler.dup_json());
        ok([...loaded].every((event, place) => event.equals([...profiler][place])));
        ok(loaded.keyAverages().every((row, place) => row.equals(profiler.keyAverages()[place])));
        throws(Strideweave.Error, /single-use/, () => loaded.enter());
        const bytes = file.load_contents(null)[1];
        bytes[bytes.length - 9] ^= 4;
        file.replace_contents(bytes, null, false, Gio.FileCreateFlags.NONE, null);
        throws(RangeError, /damaged/, () => Strideweave.Profiler.load(file.get_path()));
    });
    throws(Strideweave.Error, /missing/, () => Strideweave.Profiler.load('/missing'));
    throws(TypeError, /path/, () => Strideweave.Profiler.load(5));
});

// --- Lists ---

test('a profiler is a list model', () => {
    const profiler = profile();
    const changes = [];
    profiler.connect('items-changed', (_, ...change) => changes.push(change));
    profiler.run(() => {
        Strideweave.relu(vector([1]));
        Strideweave.relu(vector([2]));
        equal([profiler.get_n_items(), profiler.get_item(0), changes], [0, null, []]);
    });
    equal(changes, [[0, 0, 2]]);
    ok(profiler instanceof Gio.ListModel);
    const item = profiler.get_item(1);
    ok(item === profiler.get_item(1) && item instanceof Strideweave.ProfilerEventItem);
    equal([item.name, item.id, item.durationNs], ['relu', 1, [...profiler][1].durationNs]);
    equal(item.get_event().get_id(), 1);
    equal(profiler.get_item(2), null);
});

finish();
