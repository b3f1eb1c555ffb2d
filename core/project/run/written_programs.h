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

/// Its file in the project.
inline constexpr const char* writtenFile = "programs.jsonl";
/// In the place of a run's id, of programs that no run wrote: the index knows them under it.
constexpr std::int64_t writtenPrograms = 0;

/// A program that was edited by hand, or that a policy wrote outside of any run.
struct WrittenProgram
{
    std::string id;     ///< Made by addWrittenProgram.
    double t = 0;       ///< Unix seconds; now if 0.
    std::string origin; ///< sample_origin::hand or sample_origin::generated.
    std::string source; ///< Hash of the program that it is a copy of, or RUN/CHECKPOINT that wrote it.
    std::string text;
    TargetId target;
    std::string split;       ///< Of its matrix; addWrittenProgram looks it up where it is empty.
    std::string family;      ///< As SampleEvent::family.
    std::int64_t tokens = 0; ///< 0 where nobody sampled it.
    double logProb = 0;
    /// How it is judged: the keys of run.toml that begin with "judge.".
    std::map<std::string, ParameterValue> settings;
    std::optional<VerdictRecord> record; ///< Nothing: it was not judged.
    std::int64_t line = 0;               ///< Its place in the file, from 1: `seq` of its candidate.
};

/// Appends to programs.jsonl of the project. Gives the id. Safe for several processes.
Result<std::string> addWrittenProgram(const std::filesystem::path& project, WrittenProgram program);
/// All of them, oldest first; torn lines, and those whose verdict is of another text, are left out.
Result<std::vector<WrittenProgram>> readWrittenPrograms(const std::filesystem::path& project);
/// The one of this line.
Result<WrittenProgram> readWrittenProgram(const std::filesystem::path& project, std::int64_t line);

} // namespace sparserl
