// SPDX-License-Identifier: LGPL-2.1-or-later
// What GJS adds to the introspected namespace when it loads it.

function _init() {
    const Strideweave = this;

    // Calls a function with this profiler entered, and exits it however the function ends.
    // The function must not be an async one: what it still does after its first await is not recorded.
    Strideweave.Profiler.prototype.run = function (callback) {
        this.enter();
        try {
            return callback(this);
        } finally {
            this.exit();
        }
    };
}
