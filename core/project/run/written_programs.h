// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "project/run/run_config.h"
#include "verdict/record.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// The name of a project's file with the programs that do not belong to a run.
inline constexpr const char* writtenFile = "programs.jsonl";
/// The run id, in the index, of programs that do not belong to a run.
constexpr std::int64_t writtenPrograms = 0;

/// A program that was edited by hand, or that a policy has written outside any run.
struct WrittenProgram
{
    std::string id;     ///< Created by addWrittenProgram().
    double t = 0;       ///< Unix seconds; addWrittenProgram() replaces 0 with the current time.
    std::string origin; ///< sample_origin::hand or sample_origin::generated.
    /// The hash of the program that was edited, or the policy that wrote it, as RUN/CHECKPOINT.
    std::string source;
    std::string text;
    TargetId target;
    std::string split;       ///< Split of the matrix; addWrittenProgram() looks it up if it is empty.
    std::string family;      ///< See SampleEvent::family.
    std::int64_t tokens = 0; ///< 0 if it was not sampled.
    double logProb = 0;
    /// The options with which it was judged: the keys of run.toml that begin with "judge.".
    std::map<std::string, ParameterValue> settings;
    std::optional<VerdictRecord> record; ///< The verdict; nullopt if the program was not judged.
    std::int64_t line = 0; ///< Its line in the file, from 1. The same number is CandidateId::seq.
};

/// Appends a program to programs.jsonl in the project and returns its id. Several processes may do this at
/// the same time.
Result<std::string> addWrittenProgram(const std::filesystem::path& project, WrittenProgram program);
/// Reads all programs, the oldest first. Skips incomplete lines, and programs whose verdict belongs to
/// another text.
Result<std::vector<WrittenProgram>> readWrittenPrograms(const std::filesystem::path& project);
/// Reads the program in this line.
Result<WrittenProgram> readWrittenProgram(const std::filesystem::path& project, std::int64_t line);

} // namespace sparserl
