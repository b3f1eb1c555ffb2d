// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtTest>

#include <map>
#include <string>
#include <string_view>

// Tests that are compiled into one program (sparserl_test_group): CMake includes this file before each of
// them, so that their main functions become entries of a table.
namespace sparserl::test {

using TestMain = int (*)(int argc, char** argv);

/// By the name of the test's source file, without folder and ending.
inline std::map<std::string, TestMain>& groupedTests()
{
    static std::map<std::string, TestMain> tests;
    return tests;
}

struct GroupedTest
{
    GroupedTest(std::string_view file, TestMain run)
    {
        file.remove_prefix(file.find_last_of('/') + 1);
        groupedTests().emplace(file.substr(0, file.find('.')), run);
    }
};

} // namespace sparserl::test

/// Begins the body of a main function that is an entry of the table; `});` ends it.
#define SPARSERL_GROUPED_MAIN(Class)                                                                         \
    static const sparserl::test::GroupedTest groupedTest##Class(__FILE__, [](int argc, char** argv)

#undef QTEST_GUILESS_MAIN
#define QTEST_GUILESS_MAIN(Class)                                                                            \
    SPARSERL_GROUPED_MAIN(Class)                                                                             \
    {                                                                                                        \
        QTest::Internal::callInitMain<Class>();                                                              \
        QCoreApplication application(argc, argv);                                                            \
        QTEST_SET_MAIN_SOURCE_PATH                                                                           \
        Class test;                                                                                          \
        return QTest::qExec(&test, argc, argv);                                                              \
    });
