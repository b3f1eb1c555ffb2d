// SPDX-License-Identifier: Apache-2.0
// Models that cannot be used, and servers that refuse: one right sentence each on the terminal, and nothing
// left behind.
#include "base/json.h"
#include "endpoint/endpoint_settings.h"
#include "programs.h"
#include "tests/endpoint/scripted_server.h"

#include <QTemporaryDir>
#include <QTest>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace sparserl;
using namespace sparserl::test;
using sparserl::tests::ScriptedServer;
namespace fs = std::filesystem;

namespace {

const fs::path fixtures = SPARSERL_SOURCE_DIR "/tests/policy/fixtures";

using Damage = std::function<void(const fs::path& model)>;

void change(const fs::path& file, const std::function<void(nlohmann::json&)>& how)
{
    auto json = *readJson(file);
    how(json);
    QVERIFY(writeJson(file, json));
}

/// A member of config.json.
Damage config(const char* key, nlohmann::json value)
{
    return [=](const fs::path& model) {
        change(model / "config.json", [&](nlohmann::json& json) { json[key] = value; });
    };
}

Damage without(const char* file)
{
    return [=](const fs::path& model) { fs::remove(model / file); };
}

Damage holds(const char* file, const char* text)
{
    return [=](const fs::path& model) { QVERIFY(writeFileAtomic(model / file, text)); };
}

Damage cut(const char* file, std::size_t bytes)
{
    return [=](const fs::path& model) {
        QVERIFY(writeFileAtomic(model / file, readFile(model / file)->substr(0, bytes)));
    };
}

/// A byte of the file takes another value.
Damage byte(const char* file, std::size_t at, char value)
{
    return [=](const fs::path& model) {
        std::string bytes = *readFile(model / file);
        bytes.at(at) = value;
        QVERIFY(writeFileAtomic(model / file, bytes));
    };
}

struct Broken
{
    Damage damage;
    const char* says;
    const char* from = "codet5/own_head";
};

/// Of a folder in Hugging Face's layout, and of GGUF files.
const std::map<std::string, Broken>& brokenModels()
{
    static const char* const first = "model-00001-of-00002.safetensors";
    static const char* const second = "model-00002-of-00002.safetensors";
    static const char* const index = "model.safetensors.index.json";
    static const char* const gguf = "gguf/models/llama.gguf";
    static const std::map<std::string, Broken> all{
        {"nothing there", {[](const fs::path& model) { fs::remove_all(model); }, "it has no config.json"}},
        {"no config", {without("config.json"), "it has no config.json"}},
        {"config is no JSON", {holds("config.json", "{"), "config.json"}},
        {"config is a list", {holds("config.json", "[]"), "cannot be used"}},
        {"config is empty", {holds("config.json", ""), "config.json"}},
        {"unknown family", {config("model_type", "mamba"), "model_type is \"mamba\", which is not known"}},
        {"family is a number", {config("model_type", 5), "model_type"}},
        {"activation", {config("feed_forward_proj", "gated-silu"), "gated-silu"}},
        {"start token", {config("decoder_start_token_id", 1), "decoder_start_token_id"}},
        {"enormous", {config("d_ff", 16'000'000), "fewer weights"}},
        {"negative size", {config("d_model", -8), "d_model"}},
        {"fraction", {config("num_heads", 2.5), "num_heads"}},
        {"size is text", {config("d_kv", "six"), "d_kv"}},
        {"more rows", {config("vocab_size", 320), "config.json asks for [320, 8]"}},
        {"fewer rows than tokens", {config("vocab_size", 312), "the tokenizer has 313"}},
        {"tied with a head of its own", {config("tie_word_embeddings", true), "ties the two"}},
        {"a policy", {config("sparserl", nlohmann::json::object()), "a policy already"}},
        {"shard missing", {without(second), "the shard model-00002-of-00002.safetensors is missing"}},
        {"shard cut", {cut(first, 6000), "copy it again"}},
        {"header cut", {cut(first, 40), "model-00001-of-00002.safetensors"}},
        {"shard is empty", {cut(first, 0), "model-00001-of-00002.safetensors"}},
        {"length of the header", {byte(first, 6, '\x7f'), "model-00001-of-00002.safetensors"}},
        {"header is no JSON", {byte(first, 8, 'x'), "model-00001-of-00002.safetensors"}},
        {"index is no map", {holds(index, R"({"weight_map":{}})"), "weight_map"}},
        {"shard elsewhere",
         {[](const fs::path& model) {
              change(model / index,
                     [](nlohmann::json& json) { json["weight_map"]["shared.weight"] = "../../etc/passwd"; });
          },
          "not in a file of this directory"}},
        {"pickled",
         {[](const fs::path& model) {
              for (const char* file : {index, first, second})
                  fs::remove(model / file);
              QVERIFY(writeFileAtomic(model / "pytorch_model.bin", "PK"));
          },
          "save_pretrained"}},
        {"no tokenizer", {without("merges.txt"), "no tokenizer"}},
        {"vocabulary is a list", {holds("vocab.json", "[]"), "not a JSON object"}},
        {"merges of nothing", {holds("merges.txt", "qqq zzz\n"), "known tokens"}},
        {"a SentencePiece",
         {[](const fs::path& model) {
              fs::remove(model / "merges.txt");
              QVERIFY(writeFileAtomic(model / "spiece.model", "x"));
          },
          "SentencePiece"}},
        {"too little memory",
         {[](const fs::path& model) { // a hole in the file: it takes no place on the disk
              const std::uint64_t bytes = std::uint64_t(1) << 40;
              const std::string header = fmt::format(
                  R"({{"x":{{"dtype":"F32","shape":[{}],"data_offsets":[0,{}]}}}})", bytes / 4, bytes);
              std::string begin(8, '\0');
              for (std::size_t i = 0; i < 8; ++i)
                  begin[i] = static_cast<char>(header.size() >> (8 * i));
              QVERIFY(writeFileAtomic(model / "model.safetensors", begin + header));
              fs::resize_file(model / "model.safetensors", begin.size() + header.size() + bytes);
          },
          "1.0 TiB of memory, and", "codet5/tied"}},
        {"GGUF cut", {cut("llama.gguf", 3000), "llama.gguf", gguf}},
        {"GGUF is empty", {cut("llama.gguf", 0), "llama.gguf", gguf}},
        {"no GGUF", {byte("llama.gguf", 0, 'X'), "llama.gguf", gguf}},
        {"version of GGUF", {byte("llama.gguf", 4, '\x63'), "version", gguf}},
        {"number of tensors", {byte("llama.gguf", 15, '\x7f'), "llama.gguf", gguf}},
    };
    return all;
}

} // namespace

class TestCliBrokenModels : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        ::setenv("XDG_CONFIG_HOME", (folder() / "config").c_str(), 1);
    }

    void oneRightSentence_data()
    {
        QTest::addColumn<QString>("name");
        QVERIFY(brokenModels().size() >= 30);
        for (const auto& [name, broken] : brokenModels())
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
    void oneRightSentence()
    {
        QFETCH(QString, name);
        const Broken& broken = brokenModels().at(name.toStdString());
        const fs::path from = fixtures / broken.from, model = folder() / "model";
        fs::remove_all(model);
        fs::create_directories(model);
        const bool file = fs::is_regular_file(from);
        if (file)
            fs::copy_file(from, model / from.filename());
        else
            fs::copy(from, model);
        broken.damage(model);
        const std::string words =
            "policy import model" + (file ? "/" + from.filename().string() : std::string()) + " --out made";
        const auto said = shell(folder(), "$SPARSERL " + words);
        isOneSentence(said, broken.says);
        QVERIFY(!fs::exists(folder() / "made"));
        const auto json = shell(folder(), "$SPARSERL --json " + words);
        QCOMPARE(json.status.code, 1);
        const auto object = parseJson(json.output);
        QVERIFY2(object && object->contains("error"), json.output.c_str());
        // What the window shows (CommandJob): it must hold the same words.
        const std::string what = (*object)["error"].value("what", std::string());
        QVERIFY2(!what.empty() && said.error.find(what.substr(1, 20)) != std::string::npos, what.c_str());
    }

    /// Commands that take a policy say the same of one that is damaged.
    void brokenPolicies_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("says");
        QTest::newRow("config") << QStringLiteral("config.json") << QStringLiteral("config.json");
        QTest::newRow("weights") << QStringLiteral("model.safetensors")
                                 << QStringLiteral("model.safetensors");
        QTest::newRow("tokenizer") << QStringLiteral("tokenizer.json") << QStringLiteral("tokenizer");
    }
    void brokenPolicies()
    {
        QFETCH(QString, file);
        QFETCH(QString, says);
        QVERIFY(writeFileAtomic(folder() / "k.cu", "//! task spmv\n"));
        for (const bool gone : {true, false}) {
            fs::remove_all(folder() / "policy");
            const auto made = shell(folder(), "$SPARSERL --quiet policy import " +
                                                  (fixtures / "codet5/tied").string() + " --out policy");
            QVERIFY2(made.status.ok(), made.error.c_str());
            const fs::path broken = folder() / "policy" / file.toStdString();
            if (gone)
                fs::remove(broken);
            else
                QVERIFY(writeFileAtomic(broken, readFile(broken)->substr(0, 30)));
            for (const char* words : {"generate --policy policy --matrix 'stencil2d(n=4)' -n 1 --no-judge",
                                      "policy score k.cu --policy policy --matrix 'stencil2d(n=4)'",
                                      "serve --policy policy --port 0", "policy adapt policy --out adapted"})
                isOneSentence(shell(folder(), std::string("$SPARSERL ") + words),
                              gone && file != u"tokenizer.json" ? "there is no policy here" // what makes one
                                                                : says.toStdString().c_str());
        }
    }

    void serversThatRefuse_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, int status, const char* body, const char* says) {
            QTest::newRow(name) << status << QString::fromLatin1(body) << QString::fromLatin1(says);
        };
        row("model", 404, R"({"error":{"message":"no model m"}})",
            "answers 404: no model m. Check the URL and the name of the model");
        row("key", 401, R"({"error":{"message":"bad key sk-wrong-0123456789"}})",
            "answers 401: bad key ***. Check the key of the endpoint");
        row("forbidden", 403, "", "answers 403. Check the key of the endpoint");
        row("request", 400, R"({"message":"too long"})", "answers 400: too long");
        row("elsewhere", 302, "", "never followed; give the final address");
    }
    void serversThatRefuse()
    {
        QFETCH(int, status);
        QFETCH(QString, body);
        QFETCH(QString, says);
        const ScriptedServer server([&](const std::string&) {
            return ScriptedServer::whole(status, "application/json", body.toStdString());
        });
        use(server.url());
        for (const char* words :
             {"endpoint test server", "generate --endpoint server --matrix 'stencil2d(n=4)' -n 1 --no-judge",
              "evaluate --endpoint server --matrix 'stencil2d(n=4)' -n 1 -k 1 --device sim"})
            isOneSentence(shell(folder(), std::string("KEY=sk-wrong-0123456789 $SPARSERL --quiet ") + words),
                          says.toStdString().c_str());
    }

    void keysThatAreNotThere()
    {
        use("http://127.0.0.1:9/v1");
        isOneSentence(shell(folder(), "$SPARSERL endpoint test server"),
                      "the key of the endpoint \"server\" is not there. Set the environment variable KEY");
        isOneSentence(shell(folder(), "$SPARSERL endpoint test sever"), "Did you mean server?");
    }

private:
    fs::path folder() const { return m_dir.path().toStdString(); }
    static void use(const std::string& url)
    {
        fs::remove(endpointsFile());
        EndpointSettings settings;
        settings.name = "server";
        settings.url = url;
        settings.model = "m";
        settings.keyVariable = "KEY";
        QVERIFY(addEndpoint(settings));
    }
    static void isOneSentence(const RunOutput& said, const char* words)
    {
        QVERIFY2(!said.status.ok() && said.status.code < 3, said.error.c_str());
        QVERIFY2(said.error.find(words) != std::string::npos, said.error.c_str());
        std::istringstream lines(said.error);
        int sentences = 0;
        for (std::string line; std::getline(lines, line);)
            sentences += line.starts_with("sparserl: ") || line.starts_with("error: ") ? 1 : 0;
        QVERIFY2(sentences == 1, said.error.c_str());
    }

    QTemporaryDir m_dir;
};

QTEST_GUILESS_MAIN(TestCliBrokenModels)
#include "tst_cli_broken_models.moc"
