// SPDX-License-Identifier: LGPL-2.1-or-later
// What a GJS program does with an installed Strideweave.
import Strideweave from 'gi://Strideweave?version=1';

const profiler = Strideweave.Profiler.new(false);
const layout = Strideweave.Layout.new_compact(Strideweave.Shape.new([2]));
const carrier = Strideweave.Generic.new_doubles([-1, 2.5], Strideweave.DType.FLOATING);
const tensor = Strideweave.Tensor.new(carrier, 0, layout);

// The override adds run ().
const result = profiler.run(() => Strideweave.relu(tensor));
if (result.get_value([1]).get_double() !== 2.5 || profiler.count_events() !== 1)
    throw new Error('a wrong result');
print('gjs: the override is active');
