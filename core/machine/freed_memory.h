// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparserl {

/// Memory that is freed stays with this process until it ends, so that the next step's tensors do not wait
/// for the system to clear their pages again. A choice for the whole process: for the main function of
/// programs that train. Does nothing where the C library is not glibc.
void keepFreedMemory();

} // namespace sparserl
