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

/// The file in the project.
inline constexpr const char* writtenFile = "programs.jsonl";
/// Stands for the run id of programs outside runs in the index.
constexpr std::int64_t writtenPrograms = 0;

/// A program that was edited by hand, or that a policy wrote outside any run.
struct WrittenProgram
{
    std::string id;     ///< Created in addWrittenProgram.
    double t = 0;       ///< Unix seconds; now if 0.
    std::string origin; ///< sample_origin::hand or sample_origin::generated.
    std::string source; ///< Hash of the copied program, or the RUN/CHECKPOINT that generated it.
    std::string text;
    TargetId target;
    std::string split;       ///< Split of its matrix; addWrittenProgram() looks it up if it is empty.
    std::string family;      ///< See SampleEvent::family.
    std::int64_t tokens = 0; ///< 0 if it was not sampled.
    double logProb = 0;
    /// Its judging options: the keys of run.toml that begin with "judge.".
    std::map<std::string, ParameterValue> settings;
    std::optional<VerdictRecord> record; ///< nullopt: not judged.
    std::int64_t line = 0;               ///< Its line in the file, from 1: `seq` of its candidate.
};

/// Appends to programs.jsonl of the project. Returns the id. Safe for several processes.
Result<std::string> addWrittenProgram(const std::filesystem::path& project, WrittenProgram program);
/// All programs, oldest first, without incomplete lines and those with another text's verdict.
Result<std::vector<WrittenProgram>> readWrittenPrograms(const std::filesystem::path& project);
/// The program in this line.
Result<WrittenProgram> readWrittenProgram(const std::filesystem::path& project, std::int64_t line);

} // namespace sparserl
