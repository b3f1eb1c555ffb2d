// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/corpus_scan.h"

#include "base/files.h"
#include "base/format.h"
#include "base/new_place.h"

#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

/// One line a file: path, reason, detail.
std::string refusedTable(const ScanResult& result)
{
    std::string lines;
    for (const auto& refusal : result.refused)
        lines += fmt::format("{}\t{}\t{}\n", refusal.path, refusal.reason, refusal.detail);
    return lines;
}

void report(const Context& context, const CorpusScanOptions& options, const ScanResult& result)
{
    std::size_t bytes = 0;
    std::map<std::string, int> licences;
    for (const auto& text : result.texts) {
        bytes += text.text.size();
        ++licences[text.licence];
    }
    if (context.json) {
        for (const auto& refusal : result.refused)
            context.emit({{"refused", refusal.path}, {"reason", refusal.reason}, {"detail", refusal.detail}});
        context.emit({{"file", options.out},
                      {"texts", result.texts.size()},
                      {"bytes", bytes},
                      {"licences", licences},
                      {"refused", result.reasons()},
                      {"other_files", result.others}});
        return;
    }
    context.print(fmt::format("{}: {}, {:.1f} KiB", options.out,
                              formatCounted(static_cast<std::int64_t>(result.texts.size()), "text"),
                              static_cast<double>(bytes) / 1024));
    for (const auto& [licence, count] : licences)
        context.print(fmt::format("  {:>7} under {}", count, licence));
    for (const auto& [reason, count] : result.reasons())
        context.print(fmt::format("  {:>7} refused: {}", count, reason));
    if (result.others > 0)
        context.print(fmt::format("  {:>7} files of other kinds", result.others));
    if (!result.refused.empty() && options.refused.empty())
        context.print("Each refused file with its reason: --refused FILE.");
}

} // namespace

int scanCorpus(const CorpusScanOptions& options, const Context& context)
{
    if (auto free = checkNewFiles({options.out, options.refused}); !free)
        return context.error(free.error());
    context.keeps("nothing was written");
    const auto result = scanFolder(
        options.folder, options.scan, context.cancel,
        [&](double fraction, std::string_view phase) { context.progress(fraction, std::string(phase)); });
    context.endProgress();
    if (!result)
        return context.failed(result.error());
    if (!options.refused.empty()) {
        if (auto written = writeFileAtomic(options.refused, refusedTable(*result)); !written)
            return context.error(written.error());
    }
    std::string lines = textCorpusHead();
    for (const auto& text : result->texts)
        lines += textCorpusLine(text);
    if (auto written = writeFileAtomic(options.out, lines); !written)
        return context.error(written.error());
    report(context, options, *result);
    return Done;
}

} // namespace sparserl::cli
