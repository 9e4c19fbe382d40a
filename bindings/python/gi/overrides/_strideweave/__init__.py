# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the override of the namespace Strideweave consists of. Import `gi.repository.Strideweave`, not this."""
