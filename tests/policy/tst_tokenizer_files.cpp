// SPDX-License-Identifier: Apache-2.0
// Tokenizers with the rules of published models, made by Hugging Face's `tokenizers`
// (tests/tools/make_published_fixture.py).
#include "base/failure.h"
#include "base/files.h"
#include "policy/tokenizer/pattern_syntax.h"
#include "policy/tokenizer/text_pattern.h"
#include "policy/tokenizer/tokenizer.h"
#include "policy/tokenizer/tokenizer_import.h"
#include "policy/tokenizer/utf8.h"

#include <QtTest>
#include <nlohmann/json.hpp>

using namespace sparserl;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

json published(const std::string& name)
{
    return json::parse(*readFile(SPARSERL_SOURCE_DIR "/tests/policy/fixtures/published/" + name + ".json"));
}

/// A byte-level tokenizer of the bytes alone that cuts by this pattern.
json cutBy(const std::string& pattern)
{
    json file = Tokenizer().toJson();
    file["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = pattern;
    return file;
}

std::vector<std::string> matches(const std::string& pattern, std::string_view text)
{
    const auto compiled = TextPattern::compile(pattern);
    if (!compiled)
        return {compiled.error().sentence()};
    PatternWork work(text.size());
    std::vector<std::string> found;
    compiled->forEachMatch(text, work, [&](std::size_t begin, std::size_t end) {
        found.emplace_back(text.substr(begin, end - begin));
    });
    return found;
}

} // namespace

class TestTokenizerFiles : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tokensAsPublished_data();
    void tokensAsPublished();
    void brokenBytesAreTheirTokens();
    void specialTokensNeverComeOfText_data();
    void specialTokensNeverComeOfText();
    void whatIsNotKnownIsASentence_data();
    void whatIsNotKnownIsASentence();
    void patternsMatchAsOniguruma_data();
    void patternsMatchAsOniguruma();
    void strangePatternsAreSentences_data();
    void strangePatternsAreSentences();
    void costlyPatternsEnd_data();
    void costlyPatternsEnd();
    void growingTextsEnd();
    void streamsHoldCharactersBack();
    void endsComeFromFiles();
};

void TestTokenizerFiles::tokensAsPublished_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"gpt2", "llama3", "qwen2", "deepseek-coder", "smollm", "deepseek-v3", "llama2",
                             "llama2-new", "metaspace", "behaviours"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestTokenizerFiles::tokensAsPublished()
{
    QFETCH(QString, name);
    const auto read = Tokenizer::fromJson(published(name.toStdString()));
    QVERIFY2(read, read ? "" : read.error().sentence().c_str());
    const json texts = published("texts"), rows = published(name.toStdString() + "_encoded");
    QVERIFY(texts.size() > 40 && rows.size() == texts.size());
    const json written = read->toJson();
    const auto again = Tokenizer::fromJson(written);
    QVERIFY2(again, again ? "" : again.error().sentence().c_str());
    QVERIFY(again->toJson() == written);
    std::size_t named = 0;
    for (const Tokenizer& tokenizer : {*read, *again}) {
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const auto text = texts[i].get<std::string>();
            const json& row = rows[i];
            const auto ids = tokenizer.encode(text);
            QVERIFY2(json(ids) == row["ids"], row.dump().c_str());
            const json tokens = tokenizer.encode(text, SpecialNames::Tokens);
            QVERIFY2(tokens == row.value("named", row["ids"]), row.dump().c_str());
            named += row.contains("named");
            const auto decoded = row.value("decoded", text);
            if (decoded.find("\xEF\xBF\xBD") ==
                std::string::npos) // what `tokenizers` makes of a part of a character
                QCOMPARE(tokenizer.decode(ids), decoded);
        }
    }
    QVERIFY(named > 0 || name == u"behaviours");
}

/// `tokenizers` takes no such texts. Bytes are not lost where the vocabulary has them.
void TestTokenizerFiles::brokenBytesAreTheirTokens()
{
    const std::string text = "int \xFF\xC3(\xE4\xBD x\xED\xA0\x80\xF0\x9F";
    for (const char* name : {"gpt2", "llama3", "smollm", "llama2-new"}) {
        const auto tokenizer = Tokenizer::fromJson(published(name));
        QVERIFY(tokenizer);
        QCOMPARE(tokenizer->decode(tokenizer->encode(text)), text);
    }
    // This one has no tokens for the bytes that no UTF-8 has.
    const auto coder = Tokenizer::fromJson(published("deepseek-coder"));
    QVERIFY(coder);
    QCOMPARE(coder->decode(coder->encode(text)),
             std::string("int \xEF\xBF\xBD\xC3(\xE4\xBD x\xED\xA0\x80\xF0\x9F"));
}

void TestTokenizerFiles::specialTokensNeverComeOfText_data()
{
    tokensAsPublished_data();
}

void TestTokenizerFiles::specialTokensNeverComeOfText()
{
    QFETCH(QString, name);
    const json file = published(name.toStdString());
    const auto tokenizer = Tokenizer::fromJson(file);
    QVERIFY(tokenizer);
    for (const json& token : file["added_tokens"]) {
        if (!token["special"].get<bool>())
            continue;
        const auto content = token["content"].get<std::string>();
        const auto id = token["id"].get<std::int32_t>();
        QCOMPARE(tokenizer->addedToken(content), std::optional(id));
        const auto ids = tokenizer->encode("a" + content + "b");
        QVERIFY(std::find(ids.begin(), ids.end(), id) == ids.end());
        const auto named = tokenizer->encode("a" + content + "b", SpecialNames::Tokens);
        QVERIFY(std::find(named.begin(), named.end(), id) != named.end());
        QVERIFY(tokenizer->bytes(id).empty());
    }
}

void TestTokenizerFiles::whatIsNotKnownIsASentence_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("patch");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const char* title, const char* name, const QByteArray& patch, const char* sentence) {
        QTest::newRow(title) << QString::fromLatin1(name) << QString::fromUtf8(patch)
                             << QString::fromLatin1(sentence);
    };
    row("pre-tokenizer", "llama3",
        R"([{"op":"replace","path":"/pre_tokenizer","value":{"type":"Whitespace"}}])", "Whitespace");
    row("key of a step", "llama3",
        R"([{"op":"add","path":"/pre_tokenizer/pretokenizers/0/case","value":true}])", "case");
    row("behaviour", "llama3",
        R"([{"op":"replace","path":"/pre_tokenizer/pretokenizers/0/behavior","value":"Moved"}])", "Moved");
    row("after bytes", "llama3",
        R"([{"op":"add","path":"/pre_tokenizer/pretokenizers/-","value":{"type":"Digits"}}])", "after");
    row("nested", "qwen2",
        R"([{"op":"replace","path":"/normalizer","value":{"type":"Sequence","normalizers":[{"type":"Sequence","normalizers":[{"type":"Sequence","normalizers":[{"type":"Sequence","normalizers":[{"type":"Sequence","normalizers":[]}]}]}]}]}}])",
        "deep");
    row("normalizer", "qwen2", R"([{"op":"replace","path":"/normalizer","value":{"type":"Lowercase"}}])",
        "Lowercase");
    row("replaced by a pattern", "llama2",
        R"([{"op":"replace","path":"/normalizer/normalizers/1/pattern","value":{"Regex":" "}}])", "kind");
    row("decoder", "llama3", R"([{"op":"replace","path":"/decoder","value":{"type":"WordPiece"}}])",
        "ByteLevel");
    row("step of a decoder", "llama2",
        R"([{"op":"replace","path":"/decoder/decoders/0","value":{"type":"CTC"}}])", "CTC");
    row("stripping", "llama2", R"([{"op":"replace","path":"/decoder/decoders/3/start","value":2}])",
        "strips");
    row("no bytes", "llama2", R"([{"op":"replace","path":"/model/byte_fallback","value":false}])",
        "byte_fallback");
    row("dropout", "llama3", R"([{"op":"replace","path":"/model/dropout","value":0.5}])", "dropout");
    row("suffix", "llama3", R"([{"op":"replace","path":"/model/end_of_word_suffix","value":"</w>"}])",
        "end_of_word_suffix");
    row("member of the model", "llama3", R"([{"op":"add","path":"/model/magic","value":1}])", "magic");
    row("member of the file", "llama3", R"([{"op":"add","path":"/magic","value":1}])", "magic");
    row("two ids", "llama2", R"([{"op":"replace","path":"/added_tokens/2/id","value":4}])", "ids");
    row("added twice", "llama3",
        R"([{"op":"add","path":"/added_tokens/-","value":{"id":305,"content":"<|im_end|>"}}])", "");
    row("empty", "llama3", R"([{"op":"replace","path":"/added_tokens/0/content","value":""}])", "no text");
    row("typed", "llama3", R"([{"op":"replace","path":"/added_tokens/0/lstrip","value":"yes"}])", "type");
    const auto renamed = [](const char* token) {
        return QByteArray(R"([{"op":"replace","path":"/model/merges","value":[]},)"
                          R"({"op":"move","from":"/model/vocab/@","path":"/model/vocab/☃"}])")
            .replace("@", token);
    };
    row("byte of programs", "deepseek-coder", renamed("{"), "byte 123");
    row("byte of the fallback", "llama2", renamed("<0xFF>"), "byte 255");
}

void TestTokenizerFiles::whatIsNotKnownIsASentence()
{
    QFETCH(QString, name);
    QFETCH(QString, patch);
    QFETCH(QString, sentence);
    const json good = published(name.toStdString());
    QVERIFY(Tokenizer::fromJson(good));
    const auto bad = Tokenizer::fromJson(good.patch(json::parse(patch.toUtf8().toStdString())), "t.json");
    QVERIFY(!bad);
    const std::string said = bad.error().sentence();
    QVERIFY2(said.starts_with("t.json: ") && !bad.error().remedy.empty() &&
                 said.find('\n') == std::string::npos,
             said.c_str());
    QVERIFY2(said.find(sentence.toStdString()) != std::string::npos, said.c_str());
}

/// By Oniguruma's documentation of Ruby's syntax, where PCRE2's own differs.
void TestTokenizerFiles::patternsMatchAsOniguruma_data()
{
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("found");
    const auto row = [](const char* title, const char* pattern, const QString& text,
                        const QStringList& found) {
        QTest::newRow(title) << QString::fromUtf8(pattern) << text << found;
    };
    row("space is White_Space", "\\s+", QStringLiteral("a\u180eb\u00a0\u0085c"),
        {QStringLiteral("\u00a0\u0085")});
    row("and inside a class", "[\\s,]+", QStringLiteral("a,\u180e \u3000"),
        {QStringLiteral(","), QStringLiteral(" \u3000")});
    row("its complement", "[^\\S\\n]+", QStringLiteral("a \n\tb"),
        {QStringLiteral(" "), QStringLiteral("\t")});
    row("digits are of all scripts", "\\d", QStringLiteral("1\u0663\u00bd"),
        {QStringLiteral("1"), QStringLiteral("\u0663")});
    row("ends of lines", "b$", QStringLiteral("ab\nb"), {QStringLiteral("b"), QStringLiteral("b")});
    row("beginnings of lines", "^b", QStringLiteral("ba\nb"), {QStringLiteral("b"), QStringLiteral("b")});
    row("any but a line's end", ".+", QStringLiteral("a\rb\nc"),
        {QStringLiteral("a\rb"), QStringLiteral("c")});
    row("a script, not what it shares", "\\p{Han}", QStringLiteral("\u4e00\u3001"),
        {QStringLiteral("\u4e00")});
    row("negated by a hat", "\\p{^L}+", QStringLiteral("a12b"), {QStringLiteral("12")});
    row("vertical tab", "\\v", QStringLiteral("\n\v"), {QStringLiteral("\v")});
    row("long s", "(?i:'s)", QStringLiteral("'S '\u017f"), {QStringLiteral("'S"), QStringLiteral("'\u017f")});
    row("lookaround", "(?<=a)b(?!c)", QStringLiteral("abc ab bb"), {QStringLiteral("b")});
    row("possessive", "a++a|b", QStringLiteral("aaab"), {QStringLiteral("b")});
    row("empty", "x*", QStringLiteral("xé"), {QStringLiteral("x"), QStringLiteral("")});
    row("code points", "\\u00e9\\x{4F60}\\x41", QStringLiteral("\u00e9\u4f60A"),
        {QStringLiteral("\u00e9\u4f60A")});
    row("what PCRE2 would take for a class", "[a\\]\\[-]+", QStringLiteral("x]-["), {QStringLiteral("]-[")});
}

void TestTokenizerFiles::patternsMatchAsOniguruma()
{
    QFETCH(QString, pattern);
    QFETCH(QString, text);
    QFETCH(QStringList, found);
    QStringList ours;
    for (const std::string& match : matches(pattern.toStdString(), text.toStdString()))
        ours << QString::fromStdString(match);
    QCOMPARE(ours, found);
}

void TestTokenizerFiles::strangePatternsAreSentences_data()
{
    QTest::addColumn<QByteArray>("pattern");
    for (const char* pattern : {"(",
                                ")",
                                "a)",
                                "[",
                                "[]",
                                "[a",
                                "[b-a]",
                                "[\\s-z]",
                                "[a[b]]",
                                "[a&&b]",
                                "[a-c-e]",
                                "*",
                                "a**",
                                "a*?+",
                                "a{1}{2}",
                                "a{2,1}",
                                "a{1001}",
                                "a{99999999999999999999}",
                                "{,3}",
                                "a{,3}",
                                "(?=a)*",
                                "^*",
                                "(a)\\1",
                                "(?R)",
                                "(?1)",
                                "(?<n>a)",
                                "(?P<n>a)",
                                "(?(1)a|b)",
                                "(?i)a",
                                "(?-i:a)",
                                "(?#x)",
                                "(*ACCEPT)",
                                "(?C1)",
                                "\\K",
                                "\\G",
                                "\\X",
                                "\\R",
                                "\\w",
                                "\\b",
                                "\\h",
                                "\\0",
                                "\\x{110000}",
                                "\\x{D800}",
                                "\\xFF",
                                "\\p{Any}",
                                "\\p{L",
                                "\\pL",
                                "\\",
                                "(?i:ss)",
                                "(?i:\u00e9)",
                                "(?i:[a-z])",
                                "(?<=a+)b",
                                "[[:alpha:]]",
                                "\xff",
                                "((((((((((a{1000}){1000}){1000})))))))){1000}"})
        QTest::newRow(pattern) << QByteArray(pattern);
    QTest::newRow("long") << QByteArray(1 << 20, 'a');
    QTest::newRow("deep") << QByteArray(5000, '(') + "a" + QByteArray(5000, ')');
}

void TestTokenizerFiles::strangePatternsAreSentences()
{
    QFETCH(QByteArray, pattern);
    const auto compiled = TextPattern::compile(pattern.toStdString());
    QVERIFY(!compiled);
    QVERIFY(!compiled.error().what.empty() && !compiled.error().remedy.empty());
    if (pattern != "\xff") { // no JSON holds that
        const auto bad = Tokenizer::fromJson(cutBy(pattern.toStdString()), "t.json");
        QVERIFY(!bad && bad.error().sentence().starts_with("t.json: "));
    }
}

void TestTokenizerFiles::costlyPatternsEnd_data()
{
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<bool>("ends");
    QTest::newRow("nested") << QStringLiteral("(a+)+b") << false;
    QTest::newRow("alternatives") << QStringLiteral("(?:a|a|aa)+b") << false;
    QTest::newRow("sequence") << QStringLiteral("a*a*a*a*a*a*b") << false;
    QTest::newRow("lookahead") << QStringLiteral("(?=(?:a*)*b)a") << false;
    QTest::newRow("heap") << QStringLiteral("(?:a|(?!b)a)*$(?!\\n)c") << false;
    QTest::newRow("published") << QStringLiteral("\\s+(?!\\S)|\\s*[\\r\\n]+|[^\\s\\p{L}]?\\p{L}+|\\s+")
                               << true;
}

/// A pattern may take time that is exponential in the text; it ends with a sentence after a bounded number of
/// steps, and one as published does not come near the bound.
void TestTokenizerFiles::costlyPatternsEnd()
{
    QFETCH(QString, pattern);
    QFETCH(bool, ends);
    const auto tokenizer = Tokenizer::fromJson(cutBy(pattern.toStdString()));
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().sentence().c_str());
    const std::string text = ends ? std::string(1 << 20, ' ') + "x" + std::string(1 << 20, 'a')
                                  : std::string(1 << 14, 'a') + "!bc!";
    std::string said;
    try {
        QCOMPARE(tokenizer->decode(tokenizer->encode(text)), text);
    } catch (const Failure& failure) {
        said = failure.error().sentence();
    }
    QCOMPARE(said.empty(), ends);
    if (!ends)
        QVERIFY2(said.find("too much time or memory") != std::string::npos, said.c_str());
}

/// Steps that each make a text sixteen times as long would fill the memory.
void TestTokenizerFiles::growingTextsEnd()
{
    json file = published("llama2");
    json steps = json::array();
    for (int i = 0; i < 12; ++i)
        steps.push_back(
            {{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aaaaaaaaaaaaaaaa"}});
    file["normalizer"] = {{"type", "Sequence"}, {"normalizers", steps}};
    file["added_tokens"] = json::array();
    const auto tokenizer = Tokenizer::fromJson(file);
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().sentence().c_str());
    QVERIFY_THROWS_EXCEPTION(Failure, tokenizer->encode("a"));
}

void TestTokenizerFiles::streamsHoldCharactersBack()
{
    const std::string text = "a\u00e9\u4f60\U0001F600\xFFz\xE4\xBD\xE4\xBD\xA0\xED\xA0\x80\xF0\x9F";
    // By RFC 3629: FF, the cut E4 BD before E4, the surrogate ED A0 80 and the cut end are no characters.
    const std::string u = "\xEF\xBF\xBD";
    const std::string expected = "a\u00e9\u4f60\U0001F600" + u + "z" + u + u + "\u4f60" + u + u + u + u + u;
    for (std::size_t piece = 1; piece <= text.size(); ++piece) {
        Utf8Stream stream;
        std::string whole;
        for (std::size_t at = 0; at < text.size(); at += piece) {
            const std::string part = stream.feed(std::string_view(text).substr(at, piece));
            QCOMPARE(utf8RunAt(part, 0), part.size());
            whole += part;
        }
        whole += stream.finish();
        QCOMPARE(whole, expected);
    }
    QCOMPARE(validUtf8(text), expected);
    QCOMPARE(validUtf8("\xE4"), u);
    Utf8Stream stream;
    QCOMPARE(stream.feed("\xF0\x9F\x98"), std::string());
    QCOMPARE(stream.feed("\x80!"), std::string("\U0001F600!"));
}

void TestTokenizerFiles::endsComeFromFiles()
{
    const auto dir = TempDir::create();
    QVERIFY(dir);
    const auto write = [&](const char* name, const json& value) {
        QVERIFY(writeFileAtomic(dir->path() / name, value.dump()));
    };
    write("tokenizer.json", published("qwen2"));
    const auto none = readHuggingFaceTokenizer(dir->path());
    QVERIFY(!none && none.error().sentence().find("ends a text") != std::string::npos);
    write("config.json", {{"eos_token_id", json::array({7, 8})}});
    const auto numbered = readHuggingFaceTokenizer(dir->path());
    QVERIFY2(numbered, numbered ? "" : numbered.error().sentence().c_str());
    QCOMPARE(numbered->end(), 7);
    QVERIFY(numbered->bytes(7).empty());
    write("tokenizer_config.json", {{"eos_token", {{"content", "<|im_end|>"}}}});
    const auto named = readHuggingFaceTokenizer(dir->path());
    QVERIFY(named);
    QCOMPARE(std::optional(named->end()), named->addedToken("<|im_end|>"));
    QVERIFY(!named->bytes(7).empty());
    write("tokenizer_config.json", {{"eos_token", "<|none|>"}});
    QVERIFY(!readHuggingFaceTokenizer(dir->path()));
    write("tokenizer_config.json", json::object());
    write("config.json", {{"eos_token_id", 1 << 20}});
    QVERIFY(!readHuggingFaceTokenizer(dir->path()));
}

QTEST_GUILESS_MAIN(TestTokenizerFiles)
#include "tst_tokenizer_files.moc"
