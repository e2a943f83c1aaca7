# paths.sh: where kernels and their tools are, for the scripts of tests/; from the root.
kernels=backends/kernels               # the texts, dialect.h, cuda/
embed=backends/kernels/embed.py        # joins, checks and embeds texts
make_ptx=backends/kernels/make_ptx.py  # ships compiled CUDA programs
kernel_texts=backends/padic_kernels.h  # what embed.py makes
