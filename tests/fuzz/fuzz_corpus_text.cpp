// SPDX-License-Identifier: Apache-2.0
// Files of `sparserl corpus scan`, and what it looks at in a source: licence, notice, likeness.
#include "corpus/alike.h"
#include "corpus/licences.h"
#include "corpus/scan.h"
#include "fuzz.h"

#include <algorithm>

namespace {

using namespace sparserl;

void checkFile(std::string_view bytes)
{
    const auto texts = parseTextCorpus(bytes, "corpus.jsonl");
    if (!texts) {
        fuzz::checkError(texts.error());
        FUZZ_CHECK(texts.error().line <= 1 + std::count(bytes.begin(), bytes.end(), '\n'));
        return;
    }
    std::string lines = textCorpusHead();
    for (const auto& text : *texts)
        lines += textCorpusLine(text);
    const auto again = parseTextCorpus(lines, "corpus.jsonl");
    FUZZ_CHECK(again && again->size() == texts->size());
    for (std::size_t i = 0; i < texts->size(); ++i)
        FUZZ_CHECK((*again)[i].text == (*texts)[i].text && (*again)[i].licence == (*texts)[i].licence &&
                   (*again)[i].path == (*texts)[i].path);
}

void checkSource(std::string_view text)
{
    FUZZ_CHECK(text.ends_with(withoutNotice(text)));
    const ScanOptions options;
    const std::string licence = statedLicence(text);
    // Brackets are followed 32 deep only.
    if (licenceAllowed(licence, options.licences) && std::count(licence.begin(), licence.end(), '(') < 16)
        FUZZ_CHECK(licenceAllowed("(" + licence + ")", options.licences) && !licenceAllowed(licence, {}));
    const std::string expression(text.substr(0, text.find('\n')));
    if (expression.find_first_of("()") == std::string::npos)
        FUZZ_CHECK(!licenceAllowed("(" + expression + ") AND GPL-9.0-only", options.licences));
    FUZZ_CHECK(tokenHashes(text).size() <= text.size());
    AlikeTexts alike(0.8);
    FUZZ_CHECK(!alike.add(text));
    FUZZ_CHECK(alike.add(std::string(text) + "\n// more\n") == std::size_t(0) ||
               text.find_first_of("\"'/\\*") != std::string_view::npos);
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes = fuzz::textOf(data, size);
    checkFile(bytes);
    checkSource(bytes);
    return 0;
}
