// SPDX-License-Identifier: Apache-2.0
// Models that cannot be used, and servers that refuse: one right sentence each on the terminal, and nothing
// left behind.
#include "base/json.h"
#include "broken_models.h"
#include "endpoint/endpoint_settings.h"
#include "programs.h"
#include "tests/endpoint/scripted_server.h"

#include <QTemporaryDir>
#include <QTest>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace sparserl;
using namespace sparserl::test;
using sparserl::tests::ScriptedServer;
namespace fs = std::filesystem;

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
        const fs::path model = makeBroken(broken, folder() / "model");
        const std::string words =
            "policy import " + model.lexically_relative(folder()).string() + " --out made";
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
                                                  (modelFixtures / "codet5/tied").string() + " --out policy");
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

    /// Before a run begins: the estimate of its memory, against what the machine has.
    void aPolicyThatDoesNotFit()
    {
        QVERIFY(shell(folder(), "$SPARSERL --quiet project new p --title P").status.ok());
        QVERIFY(
            shell(folder(), "$SPARSERL --quiet import --project p --generate 'stencil2d(n=4)'").status.ok());
        const fs::path model = folder() / "p/policies/huge";
        fs::create_directories(model);
        glm4({{"num_hidden_layers", 2}, {"sparserl", {{"format", 1}}}})(model);
        QVERIFY(writeFileAtomic(model / "tokenizer.json", "{}"));
        brokenModels().at("too little memory").damage(model);
        const auto said = shell(folder(), "$SPARSERL train quickstart-sft --project p --parent " +
                                              model.string() + " --set device=cpu --set sft.steps=1");
        QVERIFY(!said.status.ok());
        QVERIFY2(said.error.find("warning: the stage needs about ") != std::string::npos &&
                     said.error.find(" of memory for the policy, and this machine has ") != std::string::npos,
                 said.error.c_str());
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
