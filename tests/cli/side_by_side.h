// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "programs.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

// Tests that wait most of their time, for programs that start, sleep or end: their parts run side by side.
namespace sparserl::test {

constexpr const char* copyVariable = "SPARSERL_TEST_COPY";

/// The folder that a part of a test works in; nothing where the test was called with arguments of its own and
/// makes one.
inline std::optional<std::filesystem::path> copyForThisPart()
{
    const char* folder = std::getenv(copyVariable);
    return folder != nullptr ? std::optional<std::filesystem::path>(folder) : std::nullopt;
}

/// Calls `body` with 0 to count - 1, on a few threads.
inline void sideBySide(std::size_t count, const std::function<void(std::size_t)>& body)
{
    const std::size_t lanes = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 2, 4);
    std::atomic<std::size_t> next{0};
    std::vector<std::jthread> threads;
    for (std::size_t lane = 0; lane < std::min(lanes, count); ++lane)
        threads.emplace_back([&] {
            for (std::size_t i; (i = next++) < count;)
                body(i);
        });
}

/// The parts of a test: every test function of the class, as "function:row" where `rows` has some.
inline std::vector<std::string> partsOf(const QMetaObject& test,
                                        const std::map<std::string, std::vector<std::string>>& rows = {})
{
    std::vector<std::string> whole, parts;
    for (int i = test.methodOffset(); i < test.methodCount(); ++i) {
        const QMetaMethod method = test.method(i);
        const std::string name = method.name().toStdString();
        if (method.methodType() == QMetaMethod::Slot && method.access() == QMetaMethod::Private &&
            !name.ends_with("_data") && name != "initTestCase" && name != "cleanupTestCase" &&
            !rows.contains(name))
            whole.push_back(name);
    }
    for (const auto& [function, names] : rows)
        for (const std::string& name : names)
            parts.push_back(function + ":" + name);
    whole.insert(whole.end(), parts.begin(), parts.end()); // those take longest, and begin first
    return whole;
}

/// Runs each part in a process and a copy of the folder of its own; `prepare` fills that folder once and says
/// what went wrong. Returns the status of main(). What a part that failed said is printed.
inline int runParts(const std::string& program, const std::vector<std::string>& parts,
                    const std::function<std::string(const std::filesystem::path&)>& prepare)
{
    namespace fs = std::filesystem;
    const auto now = [] { return std::chrono::steady_clock::now(); };
    const auto seconds = [&](auto since) { return std::chrono::duration<double>(now() - since).count(); };
    const auto scratch = TempDir::create("parts");
    if (!scratch)
        qFatal("%s", scratch.error().sentence().c_str());
    const fs::path original = scratch->path() / "original";
    fs::create_directories(original);
    const auto begin = now();
    if (const std::string wrong = prepare(original); !wrong.empty()) {
        std::printf("FAIL!  : preparations: %s\n", wrong.c_str());
        return 1;
    }
    std::printf("%6.2f s  preparations\n", seconds(begin));
    std::mutex printing;
    int failed = 0;
    sideBySide(parts.size(), [&](std::size_t i) {
        const fs::path copy = scratch->path() / fmt::format("part-{}", i);
        const auto started = now();
        fs::copy(original, copy, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
        SpawnOptions options;
        options.argv = {program, parts[i]};
        options.output = options.error = StreamEnd::pipe();
        options.extraEnvironment = {{copyVariable, copy.string()}};
        options.dieWithParent = true;
        const auto output = runToEnd(options);
        const bool good = output && output->status.ok();
        const std::lock_guard lock(printing);
        std::printf("%6.2f s  %s%s\n", seconds(started), parts[i].c_str(), good ? "" : "  FAILED");
        if (!good)
            std::printf("%s\n", output ? (output->output + output->error).c_str()
                                       : output.error().sentence().c_str());
        std::fflush(stdout);
        failed += good ? 0 : 1;
        std::error_code ignored;
        fs::remove_all(copy, ignored);
    });
    std::printf("%zu parts, %d failed, %.1f s\n", parts.size(), failed, seconds(begin));
    return failed == 0 ? 0 : 1;
}

} // namespace sparserl::test
