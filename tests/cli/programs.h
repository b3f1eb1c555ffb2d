// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/files.h"
#include "base/subprocess.h"
#include "tests/patience.h"

#include <QTest>
#include <string>

// The installed programs as the tests of this folder use them.
namespace sparserl::test {

/// A shell line in `folder`; $SPARSERL is the program, and its temporary files are below TMPDIR=`folder`/tmp.
/// It may take so many seconds on a machine that does nothing else (tests/patience.h).
inline RunOutput shell(const std::filesystem::path& folder, const std::string& line, double seconds = 60)
{
    SpawnOptions options;
    options.argv = {"/bin/bash", "-c", line};
    options.workingDirectory = folder;
    options.output = options.error = StreamEnd::pipe();
    std::error_code ignored;
    std::filesystem::create_directories(folder / "tmp", ignored);
    options.extraEnvironment = {{"SPARSERL", SPARSERL_BIN_DIR "/sparserl"},
                                {"TMPDIR", (folder / "tmp").string()}};
    auto output = runToEnd(options, {}, patienceSeconds(seconds));
    if (!output)
        qFatal("%s", output.error().sentence().c_str());
    return std::move(*output);
}

/// A shell line in `folder` that goes on beside the test; $SPARSERL is the program.
inline Subprocess startShell(const std::filesystem::path& folder, const std::string& line)
{
    SpawnOptions options;
    options.argv = {"/bin/bash", "-c", line};
    options.workingDirectory = folder;
    options.extraEnvironment = {{"SPARSERL", SPARSERL_BIN_DIR "/sparserl"}};
    auto process = spawn(options);
    if (!process)
        qFatal("%s", process.error().sentence().c_str());
    return std::move(*process);
}

/// A policy too small to learn anything, and stages of seconds: what counts is that they do all of their
/// work.
constexpr const char* tinySft =
    "--set threads=1 --set policy.d_model=16 --set policy.d_ff=16 --set policy.heads=2 "
    "--set policy.encoder_layers=1 --set policy.decoder_layers=1 --set tokenizer.vocabulary=700 "
    "--set sft.batch=4 --set sft.programs_per_matrix=4 --set sft.heldout_programs=2 --set "
    "policy.max_tokens=250 "
    "--set sft.variety=0 --set eval.samples=2";

/// A project with two matrices to train on and one held out.
constexpr const char* tinyProject =
    "[project]\nformat = 1\ntitle = 'Test'\n"
    "[[matrix]]\nname = 'grid'\ngenerator = 'stencil2d(n=8)'\nsplit = 'train'\n"
    "[[matrix]]\nname = 'rows'\ngenerator = 'random(rows=60,cols=50,mean=9)'\n"
    "split = 'train'\n"
    "[[matrix]]\nname = 'held'\ngenerator = 'banded(n=70,band=3)'\n"
    "split = 'held-out'\n";

} // namespace sparserl::test
