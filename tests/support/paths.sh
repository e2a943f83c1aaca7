# paths.sh: where kernels and their tools are, for the scripts of tests/; from the root.
kernels=src/kernels          # the texts: dialect.h, AREA/*.cl, cuda/AREA/*.cu
embed=tools/kernels.py       # lists, joins and checks programs
make_ptx=tools/make_ptx.py   # ships compiled CUDA programs
