//! task spmv
//! launch k<<<1, 1>>>(y)
const char* s = R"x(a " ) )x";
