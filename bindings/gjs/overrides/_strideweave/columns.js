// SPDX-License-Identifier: LGPL-2.1-or-later
// Results as typed arrays.
/* exported columnsOf */

const {native} = imports.overrides._strideweave.registry;
const {treeOfText} = imports.overrides._strideweave.trees;

function arrayOf(kind, buffer) {
    const {ColumnKind} = native;
    switch (kind) {
    case ColumnKind.BOOL:
        return new Uint8Array(buffer);
    case ColumnKind.INT64:
        return new BigInt64Array(buffer);
    case ColumnKind.UINT64:
        return new BigUint64Array(buffer);
    case ColumnKind.DOUBLE:
        return new Float64Array(buffer);
    default:
        return new Int32Array(buffer);
    }
}

function labelsOf(columns, name) {
    const texts = columns.dup_labels(name);
    return Object.freeze(name === 'input_shapes' ? texts.map(treeOfText) : texts);
}

// One typed array for each column, by the name of the field; of copies, as JavaScript could write to the memory itself.
function columnsOf(columns) {
    const result = {length: columns.get_n_rows()};
    const labels = {};
    for (let place = 0; place < columns.get_n_columns(); place++) {
        const name = columns.get_name(place);
        const field = name.replace(/_./g, part => part[1].toUpperCase());
        result[field] = arrayOf(columns.get_kind(place), columns.dup_column(name).toArray().slice().buffer);
        if (columns.get_kind(place) === native.ColumnKind.LABEL)
            labels[field] = labelsOf(columns, name);
    }
    result.labels = Object.freeze(labels);
    return Object.freeze(result);
}
