// SPDX-License-Identifier: Apache-2.0
#include "corpus/text_corpus.h"

#include "base/files.h"
#include "base/format_number.h"
#include "base/hash.h"
#include "base/json.h"

namespace sparserl {

namespace {

constexpr const char* formatName = "sparserl-corpus";
constexpr int formatVersion = 1;

} // namespace

std::string textCorpusHead()
{
    return dumpJson({{"format", formatName}, {"version", formatVersion}}) + "\n";
}

std::string textCorpusLine(const CorpusText& text)
{
    return dumpJson(
               {{"path", text.path}, {"licence", text.licence}, {"hash", text.hash}, {"text", text.text}}) +
           "\n";
}

Result<std::vector<CorpusText>> parseTextCorpus(std::string_view bytes, const std::string& file)
{
    std::vector<CorpusText> texts;
    int line = 0;
    for (std::size_t begin = 0; begin < bytes.size(); ++line) {
        const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
        const auto json = parseJson(bytes.substr(begin, end - begin));
        begin = end + 1;
        const auto wrong = [&](const char* what) {
            return failAt(file, line + 1, what, "Write it again with `sparserl corpus scan`");
        };
        if (!json || !json->is_object())
            return wrong("This is not a text of a corpus");
        if (line == 0) {
            if (jsonValue<std::string>(*json, "format", {}) != formatName)
                return wrong("This is not a file of `sparserl corpus scan`");
            SPARSERL_CHECK(checkFormat(*json, formatVersion, "the corpus", file, "version"));
            continue;
        }
        CorpusText text{jsonValue<std::string>(*json, "path", {}),
                        jsonValue<std::string>(*json, "licence", {}),
                        jsonValue<std::string>(*json, "hash", {}), jsonValue<std::string>(*json, "text", {})};
        if (text.text.empty())
            return wrong("A text is missing");
        if (sha256Hex(text.text) != text.hash)
            return wrong("A text is not the one that was scanned");
        texts.push_back(std::move(text));
    }
    if (line == 0)
        return failAt(file, 0, "the corpus is empty", "Write it again with `sparserl corpus scan`");
    return texts;
}

Result<std::vector<CorpusText>> readTextCorpus(const std::filesystem::path& file)
{
    SPARSERL_TRY(const auto bytes, readFile(file, std::uint64_t(4) << 30));
    return parseTextCorpus(bytes, file.string());
}

} // namespace sparserl
