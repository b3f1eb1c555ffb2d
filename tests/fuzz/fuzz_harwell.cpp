// SPDX-License-Identifier: Apache-2.0
// Harwell-Boeing and Rutherford-Boeing text, plain or gzip.
#include "fuzz.h"
#include "matrix_checks.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    sparserl::fuzz::checkMatrixText(sparserl::fuzz::textOf(data, size), "input.rb");
    return 0;
}
