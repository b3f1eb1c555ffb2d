// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparserl {

/// Makes this process keep freed memory until it ends, so that the tensors of the next step do not wait for
/// the system to clear pages again. This affects the whole process. Call it in the main function of programs
/// that train. It does nothing if the C library is not glibc.
void keepFreedMemory();

} // namespace sparserl
