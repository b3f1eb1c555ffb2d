// SPDX-License-Identifier: Apache-2.0
// The program of a group of tests: runs the one whose name it is started by (links of these names lie beside
// it).
#include "tests/grouped_tests.h"

#include <cstdio>

int main(int argc, char** argv)
{
    std::string_view name = argc > 0 ? argv[0] : "";
    name.remove_prefix(name.find_last_of('/') + 1);
    const auto& tests = sparserl::test::groupedTests();
    const auto found = tests.find(std::string(name));
    if (found != tests.end())
        return found->second(argc, argv);
    std::fprintf(stderr, "This program runs as one of these:\n");
    for (const auto& [test, run] : tests)
        std::fprintf(stderr, "  %s\n", test.c_str());
    return 2;
}
