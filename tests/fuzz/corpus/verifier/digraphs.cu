//! task spmv
//! launch k<<<1, 1>>>(y)
%:define X <%
int a<:3:>; 