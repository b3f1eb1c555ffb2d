//! task spmv
//! launch k<<<1, 1>>>(y)
char c = '\''; int n = 1'000'000; float f = .5e+3f; u8R"(x)" L'x'
