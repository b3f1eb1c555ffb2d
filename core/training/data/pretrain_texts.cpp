// SPDX-License-Identifier: Apache-2.0
#include "training/data/pretrain_texts.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/interruption.h"
#include "base/json.h"
#include "base/rng.h"
#include "corpus/idioms.h"
#include "corpus/scan.h"

#include <algorithm>
#include <cstdlib>

namespace sparserl {

namespace {

constexpr std::string_view originNames[] = {"idiom", "kernel", "scanned"};

/// A number in [0, 1) that the code of a text decides.
double placeOf(std::string_view text)
{
    const auto number = std::strtoull(codeHash(text).substr(0, 12).c_str(), nullptr, 16);
    return static_cast<double>(number) / static_cast<double>(std::uint64_t(1) << 48);
}

Result<PretrainText> drawText(const PretrainTextOptions& options, Rng& rng)
{
    if (rng.chance(options.idioms))
        return PretrainText{PretrainText::Origin::Idiom, false, sampleIdiom(options.variety, rng).text};
    SampleOptions sampling;
    sampling.variety = options.variety;
    sampling.withPlan = false;
    SPARSERL_TRY(auto program, sampleProgram(rng.chance(0.5) ? Task::SpMV : Task::SpMM, sampling, rng));
    return PretrainText{PretrainText::Origin::Kernel, false, std::move(program.text)};
}

} // namespace

std::string codeHash(std::string_view text)
{
    return sha256Hex(codeOf(text)).substr(0, 16);
}

Result<std::vector<PretrainText>> makePretrainTexts(const PretrainTextOptions& options,
                                                    const CancelToken& cancel)
{
    std::vector<PretrainText> all;
    std::set<std::string> known;
    const auto add = [&](PretrainText text) {
        text.heldOut = placeOf(text.text) < options.heldOut;
        if (known.insert(sha256Hex(text.text)).second)
            all.push_back(std::move(text));
    };
    const Rng base = Rng(options.seed).derive("pretrain-texts");
    for (std::int64_t i = 0; i < options.texts; ++i) {
        if (cancel.cancelled())
            return fail(interruption());
        Rng rng = base.derive(static_cast<std::uint64_t>(i)); // The n-th text does not depend on how many.
        SPARSERL_TRY(auto text, drawText(options, rng));
        add(std::move(text));
    }
    if (!options.corpus.empty()) {
        SPARSERL_TRY(auto scanned, readTextCorpus(options.corpus));
        for (auto& text : scanned)
            add({PretrainText::Origin::Scanned, false, std::string(withoutNotice(text.text))});
    }
    return all;
}

namespace {

std::string linesOf(const std::vector<PretrainText>& texts)
{
    std::string lines;
    for (const auto& text : texts)
        lines += dumpJson({{"origin", originNames[static_cast<std::size_t>(text.origin)]},
                           {"held_out", text.heldOut},
                           {"text", text.text}}) +
                 "\n";
    return lines;
}

} // namespace

Status savePretrainTexts(const std::filesystem::path& file, const std::vector<PretrainText>& texts)
{
    return writeFileAtomic(file, linesOf(texts));
}

std::string hashOf(const std::vector<PretrainText>& texts)
{
    return sha256Hex(linesOf(texts));
}

Result<std::vector<PretrainText>> loadPretrainTexts(const std::filesystem::path& file)
{
    SPARSERL_TRY(const auto bytes, readFile(file, std::uint64_t(4) << 30));
    std::vector<PretrainText> texts;
    int line = 1;
    std::size_t begin = 0;
    for (std::size_t end; (end = bytes.find('\n', begin)) != std::string::npos; begin = end + 1, ++line) {
        const auto json = parseJson(std::string_view(bytes).substr(begin, end - begin));
        PretrainText text;
        std::string origin;
        if (json && json->is_object()) {
            origin = jsonValue<std::string>(*json, "origin", {});
            text.heldOut = jsonValue(*json, "held_out", false);
            text.text = jsonValue<std::string>(*json, "text", {});
        }
        const auto known = std::find(std::begin(originNames), std::end(originNames), origin);
        if (text.text.empty() || known == std::end(originNames))
            return failAt(file.string(), line, "this is not a text of a pretraining run", "Start a new run");
        text.origin = static_cast<PretrainText::Origin>(known - std::begin(originNames));
        texts.push_back(std::move(text));
    }
    return texts;
}

std::set<std::string> shownCode(const std::vector<PretrainText>& texts)
{
    std::set<std::string> hashes;
    for (const auto& text : texts) {
        if (!text.heldOut)
            hashes.insert(codeHash(text.text));
    }
    return hashes;
}

Status saveShownCode(const std::filesystem::path& file, const std::set<std::string>& hashes)
{
    return writeFileAtomic(file, dumpJson({{"code", hashes}}) + "\n");
}

Result<std::set<std::string>> loadShownCode(const std::filesystem::path& file)
{
    if (!glance(file).exists)
        return std::set<std::string>();
    SPARSERL_TRY(const auto json, readJson(file));
    const auto hashes = jsonValue<std::vector<std::string>>(json, "code", {});
    return std::set<std::string>(hashes.begin(), hashes.end());
}

} // namespace sparserl
