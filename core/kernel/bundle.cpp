// SPDX-License-Identifier: Apache-2.0
#include "kernel/bundle.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/new_folders.h"
#include "base/new_place.h"
#include "base/printable.h"
#include "kernel/bundle_files.h"
#include "kernel/bundle_times.h"
#include "matrix/sizes.h"
#include "target/numbers.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace sparserl {

namespace {

std::uint64_t fnv1a(std::uint64_t hash, const void* data, std::size_t bytes)
{
    const auto* p = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i)
        hash = (hash ^ p[i]) * 1099511628211ULL;
    return hash;
}

std::uint64_t patternChecksum(const Csr& m)
{
    const std::uint64_t hash = fnv1a(14695981039346656037ULL, m.rowPtr.data(), 4 * m.rowPtr.size());
    return fnv1a(hash, m.col.data(), 4 * m.col.size());
}

std::uint64_t checksum(const Csr& m)
{
    return visitValues(m, [&](const auto& values) {
        return fnv1a(patternChecksum(m), values.data(), values.size() * sizeof(values[0]));
    });
}

/// What matrix.csr begins with: "SRPSCSR1" before values in float32, "SRPSCSR2" in float64.
std::int64_t matrixMagic(ElementType type)
{
    return type == ElementType::F64 ? 0x3252534353505253 : 0x3152534353505253;
}

std::string matrixFile(const Csr& m)
{
    const std::int64_t header[4] = {matrixMagic(m.type), m.rows, m.cols, m.nnz()};
    std::string bytes(reinterpret_cast<const char*>(header), sizeof header);
    bytes.append(reinterpret_cast<const char*>(m.rowPtr.data()), 4 * m.rowPtr.size());
    bytes.append(reinterpret_cast<const char*>(m.col.data()), 4 * m.col.size());
    visitValues(m, [&](const auto& values) {
        bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
    });
    return bytes;
}

/// What the files of a bundle say of its element type, to each reader in his own words.
std::map<std::string, std::string> typeWords(ElementType type)
{
    const bool wide = type == ElementType::F64;
    const auto bytes = sizeOf(type);
    return {{"REAL", wide ? "double" : "float"},
            {"DTYPE", wide ? "float64" : "float32"},
            {"PTX_REAL", std::string(nameOf(type))},
            {"TO_F64", wide ? "mov.f64" : "cvt.f64.f32"},
            {"PRECISION", wide ? "double" : "single"},
            {"PRECISION_UPPER", wide ? "DOUBLE" : "SINGLE"},
            {"TORCH_DTYPE", wide ? ", dtype=torch.float64" : ""},
            {"VALUE_BYTES", std::to_string(bytes)},
            {"VALUE_BITS", std::to_string(8 * bytes)},
            {"ENTRY_BYTES", std::to_string(4 + bytes)},
            {"MATRIX_MAGIC", fmt::format("{:#x}", matrixMagic(type))},
            {"DIGITS", std::to_string(NumberFormat::of(type).textDigits())},
            {"TOLERANCE", wide ? "1e-10" : "1e-5"}};
}

/// A name as it may stand in a string of C or Python, a table and a path.
std::string harmless(std::string name)
{
    for (char& c : name) {
        const bool good =
            std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.' || c == ' ';
        if (!good)
            c = '_';
    }
    return name.empty() ? "matrix" : name;
}

/// What others wrote, as a text on one line of Markdown: nothing hidden, no tag, link, picture or heading.
std::string asMarkdownText(std::string_view text)
{
    constexpr std::string_view active = R"(\`*_[]<>~&|#!:)";
    std::string result;
    for (const char c : printableLine(text)) {
        if (active.find(c) != std::string_view::npos)
            result += '\\';
        result += c;
    }
    return result;
}

/// The name that everything of this bundle begins with: another one for each program, matrix and width, so
/// that bundles fit into one process and one Python.
std::string bundleName(const BundleRequest& request, const TargetId& target)
{
    const bool single = target.variant.type == ElementType::F32;
    const std::string identity =
        fmt::format("{}\n{}\n{}\n{}{}", request.program.text.hash(), target.contents, target.variant.columns,
                    sha256Hex(request.code.ptx), single ? "" : "\n" + target.values);
    return fmt::format("sparserl_{}_{}{}", nameOf(request.program.plan.task),
                       single ? "" : std::string(nameOf(target.variant.type)) + "_",
                       sha256Hex(identity).substr(0, 8));
}

/// What a program makes of alpha and beta, for the README.
std::string scaledText(FactorUse use)
{
    return use.alpha && use.beta ? "This kernel takes both, and was verified with other values than 1 and 0."
           : use.alpha           ? "This kernel takes alpha alone: beta must be 0."
           : use.beta            ? "This kernel takes beta alone: alpha must be 1."
                                 : "This kernel takes neither: alpha must be 1 and beta 0.";
}

/// The shape of an input, for the README.
std::string shapeText(const WorkTensor& input)
{
    return input.shape.size() == 1 ? "a vector" : fmt::format("columns of the matrix x {}", input.shape[1]);
}

/// "9.0" of ".version 9.0"
std::string ptxVersion(const std::string& ptx)
{
    std::string version;
    const auto at = ptx.find(".version ");
    for (std::size_t i = at == std::string::npos ? ptx.size() : at + 9; i < ptx.size(); ++i) {
        if (!std::isdigit(static_cast<unsigned char>(ptx[i])) && ptx[i] != '.')
            break;
        version += ptx[i];
    }
    return version;
}

/// Fills in the marks of `text`; one that stands in a value stays as it is.
std::string filled(std::string_view text, const std::map<std::string, std::string>& values)
{
    std::string result;
    while (!text.empty()) {
        const auto open = text.find('@');
        result += text.substr(0, open);
        if (open == std::string_view::npos)
            break;
        const auto close = text.find('@', open + 1);
        const auto value = close == std::string_view::npos
                               ? values.end()
                               : values.find(std::string(text.substr(open + 1, close - open - 1)));
        if (value != values.end()) {
            result += value->second;
            text.remove_prefix(close + 1);
        } else {
            result += '@';
            text.remove_prefix(open + 1);
        }
    }
    return result;
}

std::string_view bundleFile(std::string_view name)
{
    for (const BundleFile& file : bundleFiles()) {
        if (file.name == name)
            return file.text;
    }
    return {};
}

/// Where a file of export/ lies in the bundle.
std::string pathInBundle(std::string_view file, const std::string& name)
{
    if (file.ends_with(".in"))
        file.remove_suffix(3);
    constexpr std::string_view placeholder = "sparserl_kernel", package = "python/";
    if (const auto at = file.find(placeholder); at != std::string_view::npos)
        return fmt::format("{}{}{}", file.substr(0, at), name, file.substr(at + placeholder.size()));
    if (file.starts_with(package) && file != "python/bundle_build.py")
        return fmt::format("{}{}/{}", package, name, file.substr(package.size()));
    return std::string(file);
}

nlohmann::json manifest(const BundleRequest& request, const std::string& name, const TargetId& target,
                        const std::map<std::string, std::string>& files)
{
    nlohmann::json hashes = nlohmann::json::object();
    for (const auto& [path, contents] : files)
        hashes[path] = sha256Hex(contents);
    const auto orNull = [](const std::string& text) {
        return text.empty() ? nlohmann::json() : nlohmann::json(text);
    };
    return {{"bundle_version", 3},
            {"name", name},
            {"product", {{"name", "SparseRL Workbench"}, {"version", SPARSERL_VERSION}}},
            {"created", request.created},
            {"program_hash", request.program.text.hash()},
            {"ptx_hash", request.code.ptxHash},
            {"ptx_version", ptxVersion(request.code.ptx)},
            {"task", std::string(nameOf(request.program.plan.task))},
            {"element_type", std::string(nameOf(target.variant.type))},
            {"run", orNull(request.run)},
            {"checkpoint", orNull(request.checkpoint)},
            {"matrix_digest", target.contents},
            {"value_digest", orNull(target.values)},
            {"matrix",
             {{"name", target.name},
              {"rows", request.matrix->rows},
              {"cols", request.matrix->cols},
              {"nnz", request.matrix->nnz()},
              {"dense_cols", target.variant.columns},
              {"attribution", orNull(printableLine(request.matrixAttribution))}}},
            {"evidence", request.evidence},
            {"times", toJson(bundleTimes(request.evidence))},
            {"licence", {{"kernel", request.licence}, {"host_code", "Apache-2.0"}}},
            {"files", hashes}};
}

/// What is exported is what the evidence is about.
Status checkEvidence(const BundleRequest& request)
{
    if (request.evidence.is_null())
        return {};
    const std::string ptx = jsonValue<std::string>(request.evidence, "ptx", {});
    if (jsonValue<std::string>(request.evidence, "verdict", {}) != "correct" || ptx != request.code.ptxHash)
        return fail("the evidence is not about this program's PTX, or does not call it correct",
                    "verify the program again");
    return {};
}

} // namespace

Result<std::map<std::string, std::string>> bundleContents(const BundleRequest& request)
{
    SPARSERL_CHECK(checkEvidence(request));
    if (request.program.plan.task == Task::Operator || request.target.task() == Task::Operator)
        return fail("programs for operators cannot be exported yet");
    if (request.code.ptx.empty() || request.code.ptx.find('\0') != std::string::npos)
        return fail("the program has no PTX to export", "compile it first");
    SPARSERL_TRY(const auto plan, bundlePlanWords(request.program.plan, request.code.kernels));

    const ElementType type = request.program.plan.type;
    TargetId target = request.target;
    target.variant.type = type;
    if (target.contents.empty())
        target.contents = digest(*request.matrix);
    if (type == ElementType::F64)
        target.values = doublesDigest(*request.matrix);
    std::optional<Csr> converted;
    if (request.matrix->type != type)
        converted = inType(*request.matrix, type);
    const Csr& matrix = converted ? *converted : *request.matrix;
    const std::string name = bundleName(request, target);
    const std::string columns = std::to_string(target.variant.columns);
    const BundleTimes times = bundleTimes(request.evidence);
    const FactorUse use = factorsOf(request.program.plan);
    const Workload workload(target.variant, sizesOf(matrix));
    const WorkTensor& input = workload.tensor(TensorRole::Input);
    std::map<std::string, std::string> values = {
        {"NAME", name},
        {"VERSION", SPARSERL_VERSION},
        {"TASK", std::string(nameOf(request.program.plan.task))},
        {"PROGRAM_HASH", harmless(request.program.text.hash())},
        {"PROGRAM_SHORT", harmless(request.program.text.hash().substr(0, 12))},
        {"PTX_HASH", harmless(request.code.ptxHash)},
        {"PTX_VERSION", ptxVersion(request.code.ptx)},
        {"MATRIX_NAME", harmless(target.name)},
        {"MATRIX_DIGEST", harmless(target.contents)},
        {"MATRIX_CHECKSUM", std::to_string(checksum(matrix))},
        {"MATRIX_SIZE", fmt::format("{} x {}, {} non-zeros, digest `{}`", matrix.rows, matrix.cols,
                                    matrix.nnz(), harmless(target.contents.substr(0, 16)))},
        {"DENSE_COLS", columns},
        {"TAKES_ALPHA", use.alpha ? "true" : "false"},
        {"TAKES_BETA", use.beta ? "true" : "false"},
        {"SCALED", scaledText(use)},
        {"X_SHAPE", shapeText(input)},
        {"TORCH_X", input.shape.size() == 1 ? "matrix.shape[1]" : "(matrix.shape[1], " + columns + ")"},
        {"ATTRIBUTION",
         request.matrixAttribution.empty()
             ? "no attribution was given to the export; before you pass it on, look up where it is from"
             : asMarkdownText(request.matrixAttribution)},
        {"EVIDENCE", evidenceText(request.evidence)},
        {"TIMES", nameOf(times.source)},
        {"DEVICE", times.device},
        {"BASELINE", times.baseline},
        {"PRODUCT_MICROSECONDS", fmt::format("{:.6e}", times.microseconds)},
        {"BASELINE_MICROSECONDS", fmt::format("{:.6e}", times.baselineMicroseconds)},
        {"LICENCE", harmless(request.licence)}};
    values.merge(typeWords(type));
    // The README shows files of the bundle as they are.
    values["APP_CMAKE"] = filled(bundleFile("examples/app/CMakeLists.txt.in"), values);
    values["APP_MAIN"] = filled(bundleFile("examples/app/main.cpp.in"), values);

    std::map<std::string, std::string> files;
    for (const BundleFile& file : bundleFiles())
        files[pathInBundle(file.name, name)] =
            file.name.ends_with(".in") ? filled(file.text, values) : std::string(file.text);
    files["program.cu"] = request.program.text.text();
    files["program.ptx"] = request.code.ptx;
    files["src/data.cpp"] =
        bundleDataSource(request.code.ptx, request.code.kernels, plan, target.variant.columns,
                         request.evidence.is_null() ? 0 : patternChecksum(matrix));
    if (matrix.bytes() <= request.maxMatrixBytes)
        files["matrix.csr"] = matrixFile(matrix);
    const std::string manifestText = dumpJsonPretty(manifest(request, name, target, files));
    files["manifest.json"] = manifestText;
    return files;
}

Status writeBundle(const std::filesystem::path& directory, const BundleRequest& request)
{
    SPARSERL_CHECK(checkNewFolder(directory));
    SPARSERL_TRY(const auto files, bundleContents(request));
    // Everything is written beside its place first: a bundle is whole or not there.
    const auto absolute = std::filesystem::absolute(directory);
    const auto parent =
        absolute.has_filename() ? absolute.parent_path() : absolute.parent_path().parent_path();
    NewFolders folders;
    SPARSERL_CHECK(folders.make(parent));
    SPARSERL_TRY(auto temporary, TempDir::create(".bundle", parent));
    for (const auto& [path, contents] : files) {
        SPARSERL_CHECK(writeFileAtomic(temporary.path() / path, contents));
    }
    std::error_code code;
    std::filesystem::permissions(temporary.path(), std::filesystem::perms(0755), code);
    std::filesystem::rename(temporary.path(), absolute.has_filename() ? absolute : absolute.parent_path(),
                            code);
    if (code)
        return failAt(directory.string(), 0, "the bundle could not be put in place: " + code.message(),
                      "check that the folder can be written");
    temporary.release();
    return syncDirectory(parent);
}

} // namespace sparserl
