# SPDX-License-Identifier: LGPL-2.1-or-later
import numpy as np
from strideweave import Tensor, profile
from strideweave.operation import add, broadcast_to, matmul, relu

images = Tensor.from_numpy(np.random.rand(128, 64).astype("float32"))
weight = Tensor.from_numpy(np.random.rand(64, 48).astype("float32"))
bias = Tensor.from_numpy(np.random.rand(1, 48).astype("float32"))

with profile(record_shapes=True) as profiler:
    product = matmul(images, weight)
    hidden = relu(add(product, broadcast_to(bias, product.shape)))
print(profiler.table(group_by_input_shape=True))
