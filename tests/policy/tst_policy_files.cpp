// SPDX-License-Identifier: Apache-2.0
#include "tst_policy.h"

#include "base/limits.h"
#include "policy/files/weight_files.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

using namespace sparserl;
using torch::Tensor;

namespace {

void writeRaw(const std::filesystem::path& file, std::uint64_t headerSize, const std::string& header,
              const std::string& data)
{
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &headerSize, 8);
    QVERIFY(writeFileAtomic(file, bytes + header + data));
}

} // namespace

void TestFiles::safetensorsRoundTrip()
{
    const auto dir = TempDir::create();
    torch::manual_seed(1);
    SafeTensors content;
    content.metadata["note"] = "two words";
    content.tensors = {{"a", torch::randn({3, 5})},
                       {"empty", torch::empty({0, 4})},
                       {"scalar", torch::tensor(2.5, torch::kFloat64)},
                       {"half", torch::randn({7}).to(torch::kFloat16)},
                       {"brain", torch::randn({3}).to(torch::kBFloat16)},
                       {"long", torch::arange(5)},
                       {"int", torch::arange(3, torch::kInt32)},
                       {"byte", torch::arange(3, torch::kUInt8)},
                       {"flag", torch::tensor({true, false, true})},
                       {"view", torch::randn({4, 6}).t()}};
    const auto file = dir->path() / "x.safetensors";
    QVERIFY(writeSafeTensors(file, content));
    const auto read = readSafeTensors(file);
    QVERIFY2(read, read ? "" : read.error().sentence().c_str());
    QCOMPARE(read->tensors.size(), content.tensors.size());
    QCOMPARE(read->metadata.at("note"), std::string("two words"));
    for (const auto& [name, tensor] : content.tensors) {
        const Tensor* got = read->find(name);
        QVERIFY2(got && got->scalar_type() == tensor.scalar_type() && torch::equal(*got, tensor),
                 name.c_str());
    }
    QVERIFY(!read->find("none"));
    content.tensors.emplace_back("a", torch::zeros({1}));
    QVERIFY(!writeSafeTensors(file, content));
    QVERIFY(!writeSafeTensors(dir->path() / "no" / "x", {}));
    QVERIFY(!readSafeTensors(dir->path() / "none"));
}

void TestFiles::safetensorsReadsReference()
{
    // Written by Hugging Face's own library.
    const auto file = readSafeTensors(fixture("t5_relu.safetensors"));
    QVERIFY(file);
    QCOMPARE(file->find("shared.weight")->sizes().vec(), (std::vector<std::int64_t>{37, 24}));
    QCOMPARE(file->find("fixture.lengths")->scalar_type(), torch::kInt64);
    QCOMPARE((*file->find("fixture.lengths"))[1].item<std::int64_t>(), std::int64_t(7));
}

void TestFiles::malformedSafetensors_data()
{
    QTest::addColumn<QByteArray>("header");
    QTest::addColumn<int>("dataSize");
    QTest::addColumn<qint64>("claimed"); // -1: the true size
    const auto row = [](const char* name, const char* header, int size = 8, qint64 claimed = -1) {
        QTest::newRow(name) << QByteArray(header) << size << claimed;
    };
    row("not json", "{nope", 8);
    row("array", "[]", 0);
    row("bad utf-8", "{\"\xff\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}");
    row("trailing bytes", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})");
    row("gap", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})");
    row("hole",
        R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[2],"data_offsets":[6,8]}})");
    row("overlap",
        R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})");
    row("beyond", R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})");
    row("backwards", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})");
    row("shape", R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})");
    row("overflow", R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,8]}})");
    row("huge extent", R"({"a":{"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,8]}})");
    row("empty, strides overflow",
        R"({"a":{"dtype":"F32","shape":[0,9223372036854775807,4611686018427387904],"data_offsets":[0,0]}})",
        0);
    std::string dimensions = "1";
    for (int i = 0; i < 64; ++i)
        dimensions += ",1";
    row("dimensions",
        ("{\"a\":{\"dtype\":\"U8\",\"shape\":[" + dimensions + "],\"data_offsets\":[0,1]}}").c_str(), 1);
    row("deep", ("{\"a\":" + std::string(100000, '[') + std::string(100000, ']') + "}").c_str(), 0);
    row("negative", R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})");
    row("offset type", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":["0",8]}})");
    row("dtype", R"({"a":{"dtype":"F31","shape":[2],"data_offsets":[0,8]}})");
    row("no dtype", R"({"a":{"shape":[2],"data_offsets":[0,8]}})");
    row("twice",
        R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})");
    row("metadata", R"({"__metadata__":{"x":1},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})");
    row("header too long", "{}", 0, 100);
    row("header enormous", "{}", 0, std::numeric_limits<qint64>::max());
    row("empty header", "", 0);
}

void TestFiles::malformedSafetensors()
{
    QFETCH(QByteArray, header);
    QFETCH(int, dataSize);
    QFETCH(qint64, claimed);
    const auto dir = TempDir::create();
    const auto file = dir->path() / "bad.safetensors";
    writeRaw(file, claimed < 0 ? std::uint64_t(header.size()) : std::uint64_t(claimed), header.toStdString(),
             std::string(std::size_t(dataSize), '\0'));
    const auto read = readSafeTensors(file);
    QVERIFY(!read);
    QVERIFY(!read.error().what.empty() && !read.error().remedy.empty());
    QCOMPARE(read.error().file, file.string());
    QVERIFY(writeFileAtomic(file, "short"));
    QVERIFY(!readSafeTensors(file));
}

/// A file of holes, which anybody can send: reading it would make the system end some process.
void TestFiles::moreThanTheMemoryIsASentence()
{
    const auto memory = machineMemory();
    QVERIFY(memory);
    const std::int64_t bytes = memory->total / 4 * 8;
    const auto dir = TempDir::create();
    const auto file = dir->path() / "holes.safetensors";
    const nlohmann::json header = {
        {"holes", {{"dtype", "F32"}, {"shape", {bytes / 4}}, {"data_offsets", {0, bytes}}}}};
    writeRaw(file, header.dump().size(), header.dump(), {});
    std::error_code code;
    std::filesystem::resize_file(file, std::filesystem::file_size(file) + std::uintmax_t(bytes), code);
    if (code)
        QSKIP("no file system with holes");
    const auto read = readSafeTensors(file);
    QVERIFY(!read);
    const QString said = QString::fromStdString(read.error().sentence());
    QVERIFY2(said.contains(u"of memory, and"), qPrintable(said));
}

/// Infinities and NaNs are found in each type and at any place; the largest finite numbers are none.
void TestFiles::numbersAreFinite()
{
    constexpr std::int64_t count = 600000; // several pieces
    const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
    for (const auto type : {torch::kFloat32, torch::kFloat16, torch::kBFloat16, torch::kFloat64}) {
        torch::Tensor numbers = torch::randn({count}).to(type);
        numbers[0] = type == torch::kFloat16 ? 65504.0 : 3.3e38;
        numbers[1] = -0.0;
        QVERIFY(allFinite(numbers));
        for (const std::int64_t place : {std::int64_t(0), count / 2 + 1, count - 1}) {
            for (const double wrong : {nan, infinity, -infinity}) {
                torch::Tensor damaged = numbers.clone();
                damaged[place] = wrong;
                QVERIFY(!allFinite(damaged));
                QVERIFY(!allFinite(damaged.view({2, count / 2}).t()));
            }
        }
    }
    QVERIFY(!allFinite(torch::full({1}, 1e39, torch::kFloat64))); // not in single precision
    QVERIFY(allFinite(torch::empty({0})));
}

void TestFiles::policyDirectory()
{
    const auto dir = TempDir::create();
    Policy policy = tinyPolicy(8, true);
    policy.config().generation = {123, 0.9};
    const auto where = dir->path() / "policy";
    QVERIFY(policy.save(where));
    for (const char* name : {"model.safetensors", "tokenizer.json", "config.json", "DONE"})
        QVERIFY(std::filesystem::exists(where / name));
    auto loaded = Policy::load(where);
    QVERIFY2(loaded, loaded ? "" : loaded.error().sentence().c_str());
    QCOMPARE(loaded->digest(), policy.digest());
    QCOMPARE(loaded->config().generation.maxTokens, 123);
    QCOMPARE(loaded->config().embedding.peDim, 8);
    QVERIFY(t5Of(*loaded).config().gated);
    const SequenceBatch batch = someBatch(policy, {5, 3}, 2);
    QVERIFY(maxDifference(loaded->logits(batch), policy.logits(batch)) == 0.0);
    // Saving again replaces the directory as a whole and leaves nothing behind.
    const Policy other = tinyPolicy(9);
    QVERIFY(other.digest() != policy.digest());
    QVERIFY(other.save(where));
    QCOMPARE(Policy::load(where)->digest(), other.digest());
    QCOMPARE(listDirectory(dir->path())->size(), std::size_t(1));
    // A clone has its own weights.
    Policy frozen = other.clone(false);
    QCOMPARE(frozen.digest(), other.digest());
    {
        const torch::NoGradGuard guard;
        for (auto& [name, tensor] : other.parameters())
            tensor.add_(1);
    }
    QVERIFY(frozen.digest() != other.digest());
    for (const auto& [name, tensor] : frozen.parameters())
        QVERIFY(!tensor.requires_grad());
    // The same seed gives the same weights.
    QCOMPARE(tinyPolicy(3).digest(), tinyPolicy(3).digest());
}

void TestFiles::damagedPolicyDirectory()
{
    const auto dir = TempDir::create();
    const auto where = dir->path() / "policy";
    const Policy policy = tinyPolicy();
    const auto refused = [&](const char* about) {
        const auto loaded = Policy::load(where);
        const bool ok = !loaded && loaded.error().what.size() > 10;
        if (!ok)
            qWarning("not refused: %s", about);
        else
            qInfo("%s", loaded.error().sentence().c_str());
        return ok;
    };
    QVERIFY(refused("no directory"));
    const auto damage = [&](const char* name, const std::function<std::string(std::string)>& change) {
        QVERIFY(policy.save(where));
        QVERIFY(writeFileAtomic(where / name, change(*readFile(where / name))));
        QVERIFY(refused(name));
    };
    const auto replace = [](std::string text, const std::string& from, const std::string& to) {
        const auto at = text.find(from);
        return at == std::string::npos ? std::string("pattern not found") : text.replace(at, from.size(), to);
    };
    damage("model.safetensors", [](std::string s) { return s.substr(0, s.size() / 2); });
    damage("model.safetensors", [](std::string s) { // a NaN in the last weight
        std::memset(s.data() + s.size() - 4, 0xFF, 4);
        return s;
    });
    damage("model.safetensors",
           [&](std::string s) { return replace(std::move(s), "shared.weight", "shared.weighs"); });
    damage("config.json", [](const std::string&) { return std::string("{"); });
    damage("config.json",
           [&](std::string s) { return replace(std::move(s), "\"d_model\": 24", "\"d_model\": 32"); });
    damage("config.json",
           [&](std::string s) { return replace(std::move(s), "\"d_model\": 24", "\"d_model\": \"x\""); });
    damage("config.json",
           [&](std::string s) { return replace(std::move(s), "\"d_model\": 24", "\"d_model\": -1"); });
    damage("config.json",
           [&](std::string s) { return replace(std::move(s), "\"mode\": \"sin", "\"mode\": \"cos"); });
    damage("config.json",
           [&](std::string s) { return replace(std::move(s), "\"max_tokens\": 250", "\"max_tokens\": 0"); });
    damage("config.json",
           [&](std::string s) { return replace(std::move(s), "\"format\": 1", "\"format\": 9"); });
    damage("tokenizer.json", [](const std::string&) { return std::string("[]"); });
    QVERIFY(policy.save(where));
    std::filesystem::remove(where / "tokenizer.json");
    QVERIFY(refused("no tokenizer"));
}

/// Every member of config.json with values of every wrong kind: a sentence that names the file, or (where
/// nothing depends on the member) the same policy. Nothing wraps, nothing is thrown, nothing takes gigabytes.
void TestFiles::wrongMembersOfTheConfiguration()
{
    using nlohmann::json;
    const auto dir = TempDir::create();
    const auto where = dir->path() / "policy";
    const Policy policy = tinyPolicy();
    QVERIFY(policy.save(where));
    const json good = json::parse(*readFile(where / "config.json"));
    const std::set<std::string> forOthers{"/architectures", "/is_encoder_decoder", "/dropout_rate",
                                          "/pad_token_id",  "/eos_token_id",       "/torch_dtype"};
    int refused = 0;
    const json flat = good.flatten();
    std::vector<std::string> paths{"/sparserl", "/sparserl/embedding", "/sparserl/generation"};
    for (const auto& [path, value] : flat.items())
        paths.push_back(path);
    for (const std::string& path : paths) {
        const json::json_pointer at(path);
        std::vector<json> wrong{"text",           nullptr,  true,  json::array(),
                                json::array({1}), -5,       1e300, 2147483648LL * 4,
                                -1e300,           16777216, 0.5,   "nan"};
        if (good[at].is_number_integer()) {
            wrong.push_back(good[at].get<std::int64_t>() + 4294967296LL); // what a wrap would take for it
            wrong.push_back(18446744073709551615ULL);
            wrong.push_back(json::object());
        } else if (!good[at].is_object()) {
            wrong.push_back(json::object());
        } else {
            wrong.push_back(5);
        }
        for (const json& value : wrong) {
            json changed = good;
            changed[at] = value;
            QVERIFY(writeFileAtomic(where / "config.json", changed.dump()));
            const std::string about = path + " = " + value.dump();
            try {
                const auto loaded = Policy::load(where);
                if (loaded) {
                    const bool asGood = loaded->digest() == policy.digest();
                    const bool numberForNumber = good[at].is_number() && value.is_number();
                    const bool noMatter = std::any_of(forOthers.begin(), forOthers.end(),
                                                      [&](const auto& one) { return path.starts_with(one); });
                    QVERIFY2(asGood && (numberForNumber || noMatter || value == good[at]), about.c_str());
                } else {
                    ++refused;
                    QVERIFY2(loaded.error().file.find("policy") != std::string::npos, about.c_str());
                    QVERIFY2(!loaded.error().what.empty(), about.c_str());
                }
            } catch (const std::exception& error) {
                QFAIL((about + ": " + error.what()).c_str());
            }
        }
    }
    QVERIFY2(refused > 200, std::to_string(refused).c_str());
    // Exactly what was seen once.
    json changed = good;
    changed["sparserl"]["generation"] = 5;
    QVERIFY(writeFileAtomic(where / "config.json", changed.dump()));
    const auto loaded = Policy::load(where);
    QVERIFY(!loaded && loaded.error().sentence().find("generation") != std::string::npos);
}

void TestFiles::huggingFaceNames()
{
    // A tied model on disk has exactly the tensors that Hugging Face's has, and our embedding.
    const auto reference = readSafeTensors(fixture("t5_relu.safetensors"));
    std::set<std::string> expected, got;
    for (const auto& [name, tensor] : reference->tensors) {
        if (!name.starts_with("fixture.") && !name.starts_with("decoder.block.2"))
            expected.insert(name);
    }
    for (const auto& [name, tensor] : tinyPolicy().model().exportTensors().tensors) {
        if (!name.starts_with("matrix."))
            got.insert(name);
    }
    QVERIFY(expected == got);
}
