# SPDX-License-Identifier: Apache-2.0
"""Tokenizers with the rules of published models and texts that tell them apart, for make_published_fixture.py and
compare_tokenizers.py. The models' own vocabularies cannot be redistributed: they are trained here by `tokenizers`.

The expressions are those of the models' tokenizer.json; that of SmolLM2 is Digits and ByteLevel.
"""
import json
import random
import re
import unicodedata

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
DEEPSEEK_V3 = (r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
               r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def split(pattern):
    return pre_tokenizers.Split(Regex(pattern), "isolated", False)


def byte_level(use_regex=False):
    return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=use_regex)


FORMS = {"qwen2": "NFC", "metaspace": "NFD", "behaviours": "NFD"}
DEEPSEEK_CODER = [split("[\r\n]"), split(r"\s?\p{L}+"), split(r"\s?\p{P}+"), split("[一-龥ࠀ-一가-퟿]+"),
                  pre_tokenizers.Digits(individual_digits=True), byte_level()]


def rules():
    """By name: normalizer, pre-tokenizer, decoder, settings of the model, added tokens."""
    marks = [AddedToken("<|im_start|>", special=True), AddedToken("<|im_end|>", special=True),
             AddedToken("<tool_call>", special=False, normalized=False), AddedToken(" lstrip ", special=False, lstrip=True),
             AddedToken("<|word|>", special=False, single_word=True), AddedToken("<|r|>", special=False, rstrip=True)]
    sequence = pre_tokenizers.Sequence
    metaspace = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="first", split=False)
    llama2_decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    fallback = {"byte_fallback": True, "fuse_unk": True, "unk_token": "<unk>"}
    return {
        "gpt2": (None, byte_level(True), decoders.ByteLevel(), {}, [AddedToken("<|endoftext|>", special=True)]),
        "llama3": (None, sequence([split(LLAMA3), byte_level()]), decoders.ByteLevel(), {"ignore_merges": True}, marks),
        "glm4": (None, sequence([split(LLAMA3), byte_level()]), decoders.ByteLevel(), {}, marks),
        "qwen2": (normalizers.NFC(), sequence([split(QWEN2), byte_level()]), decoders.ByteLevel(), {},
                  marks + [AddedToken("e\u0301<n>", special=False, normalized=True)]),
        "deepseek-coder": (normalizers.Sequence([]), sequence(DEEPSEEK_CODER), decoders.ByteLevel(), {},
                           [AddedToken("ö", special=False), AddedToken("ÿ", special=False), AddedToken("<｜fim▁hole｜>", special=False),
                            AddedToken("<|EOT|>", special=True)]),
        "smollm": (None, sequence([pre_tokenizers.Digits(individual_digits=True), byte_level(True)]), decoders.ByteLevel(), {}, marks),
        "deepseek-v3": (normalizers.Sequence([]), sequence([split(r"\p{N}{1,3}"), split("[一-龥぀-ゟ゠-ヿ]+"), split(DEEPSEEK_V3), byte_level()]),
                        decoders.ByteLevel(), {}, marks),
        "llama2": (normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]), None, llama2_decoder, fallback,
                   [AddedToken("</s>", special=True, normalized=False), AddedToken("<mark>", special=False, normalized=True)]),
        "llama2-new": (None, metaspace, llama2_decoder, fallback, [AddedToken("</s>", special=True, normalized=False)]),
        "metaspace": (normalizers.NFD(), pre_tokenizers.Metaspace(), llama2_decoder, fallback, [AddedToken("</s>", special=True)]),
        "behaviours": (normalizers.NFD(), sequence([
            pre_tokenizers.Split(" ", "merged_with_next", False), pre_tokenizers.Split(Regex(r"[,;]"), "removed", False),
            pre_tokenizers.Split(Regex(r"\p{Lu}"), "merged_with_previous", False), pre_tokenizers.Split("-", "contiguous", False),
            pre_tokenizers.Split(Regex(r"[a-z]+"), "isolated", True), pre_tokenizers.Digits(individual_digits=False),
            pre_tokenizers.ByteLevel(add_prefix_space=True, use_regex=True)]), decoders.ByteLevel(), {}, []),
    }


def make(name, texts, size):
    """A tokenizer of those rules with a vocabulary of `size` learned from texts."""
    normalizer, splitter, decoder, settings, added = rules()[name]
    tokenizer = Tokenizer(models.BPE(**settings))
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    if splitter is not None:
        tokenizer.pre_tokenizer = splitter
    tokenizer.decoder = decoder
    byte_fallback = settings.get("byte_fallback", False)
    if byte_fallback:
        first = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
        trainer = trainers.BpeTrainer(vocab_size=size + 256, min_frequency=2, show_progress=False, special_tokens=first, limit_alphabet=80)
        # Merges never make the name of a special token, as in published files.
        tokenizer.train_from_iterator([re.sub("</?s>|<unk>", "", text) for text in texts], trainer)
        # Their bytes were added as special tokens only to be in the vocabulary.
        plain = json.loads(tokenizer.to_str())
        plain["added_tokens"] = [t for t in plain["added_tokens"] if not t["content"].startswith("<0x")]
        tokenizer = Tokenizer.from_str(json.dumps(plain))
    else:
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        if name == "deepseek-coder":  # its vocabulary lacks the bytes that UTF-8 has not
            alphabet = [c for c in alphabet if c not in "ÀÁõö÷øùúûüýþÿ"]
        trainer = trainers.BpeTrainer(vocab_size=size, min_frequency=2, show_progress=False, initial_alphabet=alphabet, special_tokens=[])
        tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_tokens([t for t in added if not t.special])
    tokenizer.add_special_tokens([t for t in added if t.special])
    return tokenizer


CODE = """extern "C" __global__ void spmv_row(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col,
                                    const float* __restrict__ val, const float* __restrict__ x, float* y)
{
    // one warp per row: lanes stride over the non-zeros
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (int k = row_ptr[row] + lane; k < row_ptr[row + 1]; k += 32)
        sum += val[k] * x[col[k]];
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d);
\tif (lane == 0) y[row] = 1.0e-3f * sum;
}
"""
SAMPLES = [
    "", " ", "a", "\n", "\r\n\r\n  x", "it's we'll they've I'd don't I'm you're 'S 'LL O'ſ 'ﬀ", "  two  spaces\t\ttab \n\n\nlines   ",
    "x=1234567890;y=0x1F;", "été naïve 你好 Ελλάδα ١٢٣ ½ Ⅷ ²³", "😀 👩\u200d👩\u200d👧\u200d👦 🏳️\u200d🌈 🇩🇪\u00a0nbsp\u3000wide", "trailing space ", " leading",
    "a\u2028b\u0085c\u180ed\ufeffe\u200bf", CODE, "e\u0301 o\u0308 \u1100\u1161\u11a8 한국어 カ\u3099 ﬁ ① Å \u0344 \u0f73", "\x00\x01\x1b[31m\x7f\x80",
    "हिन्दी ไทย עברית العربية Русский ქართული አማርኛ", " " * 300 + "x", "9" * 300, "\n" * 100 + " ", "ab" * 200, "-" * 77,
    "<|im_start|>user\n<tool_call> a lstrip b  <|word|>x <|word|> <|r|>   z<|im_end|>\n", "<|endoftext|></s><s><unk> <mark> é<n> e\u0301<n>",
    "ö ÿ <｜fim▁hole｜> <|EOT|> ▁x ▁▁", "A,b;C-D--e F", "\U000e0041\ud7ff\U0010ffff\ufffe", "the Ǆ ǅ ß ẞ İ ı K", "a\u0338\u0301\u0323 \u0958 \ufb1d",
]
PIECES = ["a", "b", "the", "int", " ", "  ", "\n", "\r", "\t", "1", "12", "٣", "½", "'s", "'LL", "'", "_", "(", "){", ";", "*", "+=", "é", "e\u0301", "\u0301", "你",
          "好吗", "한", "\u1100\u1161", "ß", "Ж", "ع", "\u200d", "👩", "🏽", "\ufe0f", "\u00a0", "\u2003", "\u3000", "\u0085", "\u180e", "▁", "-", ",", "A", "Zz", "\x00",
          "\x1b", "ö", "<|im_start|>", "<|im_end|>", "<tool_call>", " lstrip ", "<|word|>", "<|r|>", "</s>", "<s>", "<mark>", "e\u0301<n>", "é<n>", "<|EOT|>", "<｜fim▁hole｜>"]


def random_text(rng):
    """A text of one of several kinds."""
    kind = rng.random()
    if kind < 0.6:
        return "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 40)))
    if kind < 0.75:  # any characters
        text = ""
        for _ in range(rng.randint(1, 20)):
            code = rng.choice([rng.randrange(0x100), rng.randrange(0x3000), rng.randrange(0x10000), rng.randrange(0x110000)])
            # PCRE2 of Debian 12 knows Unicode 14, `tokenizers` a newer version: of what came later it may know letters.
            text += chr(code) if unicodedata.category(chr(code)) not in ("Cs", "Cn") else " "
        return text
    if kind < 0.9:  # code, cut anywhere
        at = rng.randrange(len(CODE))
        return CODE[at:at + rng.randint(1, 200)] + rng.choice(PIECES)
    return rng.choice(PIECES) * rng.randint(1, 200) + rng.choice(PIECES)


def random_texts(count, seed):
    rng = random.Random(seed)
    return [random_text(rng) for _ in range(count)]


def training_texts():
    return [CODE] * 3 + SAMPLES + random_texts(2000, 1)
