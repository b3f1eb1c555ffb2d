// SPDX-License-Identifier: Apache-2.0
// .tar, .tar.gz and .zip, .npz among them.
#include "fuzz.h"
#include "matrix_checks.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    sparserl::fuzz::checkMatrixText(sparserl::fuzz::textOf(data, size), "input.tar");
    return 0;
}
