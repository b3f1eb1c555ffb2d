//! task spmv
//! launch k<<<1, 1>>>(y)
in\
t a = 1; /\
* c *\
/ #def\
ine X
int a\
b;
