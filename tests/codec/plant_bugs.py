#!/usr/bin/env python3
# plant_bugs.py: mistakes as a programmer makes them, one at a time in the packer, and what notices
# them. The packer decodes every block before it accepts it and stores one raw that does not come
# back, so that a mistake there may cost bytes, never data; and a test must see it.
#
#     python3 tests/codec/plant_bugs.py [--quick] [--count N] [--seed S] [--only TEXT] [--jobs N]
#                                 [--from K] [--to K] [--table FILE] [--list]
#
# The headers are copied into a scratch folder with all mistakes in them, each an expression that
# the variable PADIC_PLANT of the environment turns on by its number, so that one compilation
# serves for all. Every old text must stand in its file exactly once, however its lines are broken.
#
# For each mistake tests/codec/test_pack_many.c runs N generated cases, counting the blocks that the
# packer stored raw in place of failing on them, and fails where data did not come back. Where
# blocks were stored raw, that test would fail on them without the option: it catches the mistake.
# Where nothing happens N more are run, up to as many as it runs every day; then test_codec_proof,
# test_codec_golden and test_codec_roundtrip are asked, until one fails. --quick does five mistakes
# with fewer cases and without these; --from and --to do a part, by their numbers. The exit status
# is 1 where a mistake was caught by nothing, or, unless it is marked as one that the proof cannot
# see, lost data or had no block stored raw.
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 2))
PADIC, SIMD = 'padic.h', 'backends/padic_simd.h'

# (name, stage, file, text with @@the expression@@, what stands there instead)
# A name that ends in ! is a mistake that the proof cannot see, because it is made with the same
# wrong numbers, or after it: only tests can.
BUGS = [
    # ---- transforms
    ('bits -0', 'transform bits: the sign is lost, only of -0', PADIC,
     'words[i] = padici_codec_to_ordered(dtype, @@padici_codec_element(raw, i, size)@@, '
     'size);\n        return 0;',
     '(padici_codec_is_float(dtype) && padici_codec_element(raw, i, size) == UINT64_C(1) << (8 '
     '* size - 1)'
     ' ? 0 : padici_codec_element(raw, i, size))'),
    ('fields -0', 'transform fields: the sign is lost, only of -0', PADIC,
     '*word = (bits << 1 & mask) | @@bits >> (8 * size - 1)@@;\n        return 1;',
     '(bits << 1 & mask ? bits >> (8 * size - 1) : 0)'),
    ('scale g', 'transform scale (affine, decimal): the step loses its last 8 bits', PADIC,
     'padici_codec_put_u64(out, @@plan->transform.g@@);', 'plan->transform.g & ~UINT64_C(0xff)'),
    ('affine o', 'transform affine: the sign of the offset is lost', PADIC,
     'padici_codec_put_u64(out, @@plan->transform.o@@);', 'plan->transform.o & INT64_MAX'),
    ('decimal single', 'transform decimal: f64 that are f32 values are not marked', PADIC,
     'if (@@transform->single@@) plan->flags |= PADICI_CODEC_BLOCK_SINGLE;',
     'transform->single && transform->kind != PADICI_CODEC_TRANSFORM_DECIMAL'),
    ('columns last', 'transform columns: the last element of a column is its neighbour', PADIC,
     'source + @@(i * columns + k)@@ * box->size, box->size);',
     '(i * columns + (i + 1 == column.n && k ? k - 1 : k))'),
    ('plain last', 'transform plain: the last element is not converted', PADIC,
     'for (i = 0; @@i < box->n@@; i++) w->words[i] = padici_codec_element(w->raw, i, box->size);',
     'i + 1 < box->n'),
    # ---- coset, split, reference, exceptions
    ('coset last', 'coset: the last element has no part in the common step', PADIC,
     'for (i = 0; @@i < n@@ && step != differ; i++)', 'i + 1 < n'),
    ('coset sign', 'coset: divided as signed, wrong above 2^63', PADIC,
     'for (i = 0; i < n; i++) x[i] = @@(x[i] - first) / step@@;',
     '(uint64_t)((int64_t)(x[i] - first) / (int64_t)step)'),
    ('split last', 'split: code 1 does not make its distance the last one', PADIC,
     'if (@@code@@) before = last, last = distance;\n        for (i = at +', 'code > 1'),
    ('split folds', 'split: the magnitude in the middle folded as the one before', PADIC,
     'up > half ? 2 * (mask - up) + 1 : @@up ? mask : 0@@;', '2 * up'),
    ('reference tail', 'reference: not subtracted from the last of an odd number', PADIC,
     'words[i] = pack ? @@words[i] - word@@ :', 'words[i] - ((i + 1 == n && n % 2) ? 0 : word)'),
    ('exceptions relative', 'exceptions, relative: one operand is not in order', PADIC,
     'padici_codec_to_ordered(box->dtype, padici_codec_element(w->raw, at, box->size), '
     'box->size) -\n'
     '            @@padici_codec_to_ordered(box->dtype, here, box->size)@@);', 'here'),
    ('exceptions quiet', 'exceptions, as they are: a signalling NaN made quiet', PADIC,
     'values[i] = @@padici_codec_element(w->raw, w->off[i], box->size)@@;',
     '(box->size == 8 && (padici_codec_element(w->raw, w->off[i], 8) << 1) >> 53 == 2047'
     ' ? padici_codec_element(w->raw, w->off[i], 8) | UINT64_C(1) << 51'
     ' : padici_codec_element(w->raw, w->off[i], box->size))'),
    ('exceptions gap', 'exceptions: gaps of 12 bits', PADIC,
     'gaps[i] = @@w->off[i] - (i ? w->off[i - 1] + 1 : 0)@@;\n'
     '        values[i] = padici_codec_element(w->raw, w->off[i], box->size);',
     '(w->off[i] - (i ? w->off[i - 1] + 1 : 0)) & 0xfffu'),
    # ---- predictors
    ('delta 2^31', 'predictor delta: differences of 32 bits', PADIC,
     'const uint64_t r = exclusive ? x[i - 1] ^ before : @@x[i - 1] - before@@;',
     '(uint64_t)(int64_t)(int32_t)(uint32_t)(x[i - 1] - before)'),
    ('delta2 once', 'predictor delta of delta: the second one of the words again', PADIC,
     'for (k = 0; k < predictor->count; k++, @@x = to@@)',
     '(x = predictor->kind == PADICI_CODEC_PREDICTOR_DELTA2 ? x : to)'),
    ('follow stride', 'predictor Lorenzo: strides of the full block in the short last one', PADIC,
     ': @@padici_codec_axis_op(box, p->op[k].axis)@@;\n    return 1;', 'p->op[k]'),
    ('lorenzo third', 'predictor Lorenzo: the third axis is the second again', PADIC,
     '(*loops->difference)(x, to, n, @@&predictor->op[k]@@,', '&predictor->op[k == 2 ? 1 : k]'),
    ('xor top', 'predictor xor: 63 bits', PADIC,
     'const uint64_t r = exclusive ? @@x[i - 1] ^ before@@ :',
     '(x[i - 1] ^ before) & (~UINT64_C(0) >> 1)'),
    ('median plane', 'predictor median: the first row of a plane but the first has one '
    'above', PADIC,
     'const int has_left = place >= column, has_above = @@i - from >= row@@;', 'i >= row'),
    ('interpolate cubic', 'predictor interpolation: six levels of cubic', PADIC,
     'padici_codec_put_u32(out, @@plan->predictor.op[k].cubic@@);',
     'plan->predictor.op[k].cubic & 0x3f'),
    ('interpolate tail', 'predictor interpolation: elements behind the last eight unchecked', PADIC,
     'for (i = 0; @@i < box->n@@ && count < box->n / 3; i++) {',
     'i < (box->n & ~(size_t)7)'),
    ('linear weight', 'predictor weights: the sign of a weight is lost', PADIC,
     'padici_codec_put_u8(out, @@weight >> 8@@);', 'weight >> 8 & 0x7f'),
    ('linear floats', 'predictor weights of floats: the sign of a weight is lost', PADIC,
     'padici_codec_put_u8(out, @@weight >> 24@@);', 'weight >> 24 & 0x7f'),
    # ---- patterns
    ('runs 2^16', 'pattern runs: lengths of 16 bits', PADIC,
     'w->list[at++] = @@i - from - 1@@;', '(uint16_t)(i - from - 1)'),
    ('lz end', 'pattern repeats: a repeat that goes on behind the end', PADIC,
     'for (length = 0; @@i + length < n@@ && y[length] == x[i + length];) length++;',
     'i + length <= n'),
    ('constant order', 'pattern constant: the bits, not the word', PADIC,
     'plan.constant = @@padici_codec_to_ordered(box->dtype, padici_codec_element(w->raw, 0, '
     'box->size), box->size)@@;'
     '\n        padici_codec_put_payload', 'padici_codec_element(w->raw, 0, box->size)'),
    ('constant last', 'pattern constant: the last byte is not compared', PADIC,
     ': !memcmp(a, a + box->size, @@(box->n - 1) * box->size@@);',
     '(box->n - 1) * box->size - (box->n > 1)'),
    ('match last', 'pattern matches: code 1 does not make its distance the last one', PADIC,
     'if (@@distance != list->last[0]@@) list->last[1] = list->last[0]',
     'distance != list->last[0] && distance != list->last[1]'),
    ('match reach', 'pattern matches: a window that begins one element later', PADIC,
     'while (reach < w->slot && @@w->starts[w->slot - reach] > oldest@@) reach++;',
     'w->starts[w->slot - reach] > oldest + 1'),
    ('match window', 'pattern matches: one that goes on into the block needs no window', PADIC,
     'if (@@distance > at@@ && w->behind +', 'distance > at + (size_t)list->lengths[i]'),
    ('copy reach', 'a block as a copy: no more than seven blocks back', PADIC,
     'plan.reach = @@k@@;', 'k & 7'),
    # ---- representations
    ('buckets edge', 'buckets: the first word with plain bits', PADIC,
     'if (@@z < (uint64_t)2 << m@@) {\n        *extra = 0;', 'z <= (uint64_t)2 << m'),
    ('buckets token', 'buckets: a token of 9 bits', PADIC,
     'if (@@m == 3 && widest > 30@@) total =', 'm == 3 && widest > 31'),
    ('buckets 64', 'buckets: plain bits of 57 to 60 at once', PADIC,
     'if (@@extra <= 56@@) padici_codec_put_bits(&bits, z[i] &', 'extra <= 60'),
    ('bytes planes', 'representation bytes: a top plane of one bit is not written', PADIC,
     'planes = @@(padici_codec_bit_length(all) + bits - 1)@@ / bits;',
     '(padici_codec_bit_length(all) + bits - (bits == 8 ? 2 : 1))'),
    ('nibbles last', 'representation nibbles: the last word does not count for the planes', PADIC,
     'for (i = 0; @@i < n@@; i++) all |= z[i];\n    planes', '(bits == 4 ? i + 1 < n : i < n)'),
    ('bits 32', 'representation bits: planes above 32 are those below', PADIC,
     '(*w->loops->plane)(z, n, @@k * bits@@, w->symbols);', '(bits == 1 ? k & 31 : k * bits)'),
    ('packed last', 'representation packed: the last word of an odd number may be wider', PADIC,
     'if (i < to) counts[padici_codec_bit_length(z[i])]++, @@all |= z[i]@@;', 'all |= 0'),
    ('packed four', 'representation packed: four words of 15 bits at once', PADIC,
     'if (@@width <= 14@@) {\n        for (; i + 4 <= n; i += 4)', 'width <= 15'),
    ('unit zero', 'representation unit: 0 as valuation 63', PADIC,
     'const uint32_t v = z[i] ? padici_ctz64(z[i]) : @@64@@;', '63'),
    ('unit 32', 'representation unit: units of 32 bits', PADIC,
     'units[i] = z[i] ? @@z[i] >> v >> 1@@ : 0;', '(uint32_t)(z[i] >> v >> 1)'),
    ('prime largest', 'representation prime: words from 2^63 on do not count for the planes', PADIC,
     'if (@@z[i] > largest@@) largest = z[i];\n        left[i]', '(int64_t)z[i] > '
     '(int64_t)largest'),
    ('table rank', 'representation table: ranks of 8 bits', PADIC,
     'ranks[k] = @@counts[slot[at] - 1]@@;', '(uint8_t)counts[slot[at] - 1]'),
    # ---- coders
    ('raw buffer', 'coder raw: another buffer', PADIC,
     'default: padici_codec_put_bytes(&w->out, @@data@@, n);', 'w->symbols'),
    ('symbol 255', 'coders constant and packed: symbol 255 is not looked at', PADIC,
     'for (s = 0; @@s < 256@@; s++) {\n        if (!c.counts[s]) continue;\n'
     '        if (c.low == 256) c.low = s;', 's < 255'),
    ('packed base', 'coder packed: the base is not taken off in the tail', PADIC,
     'for (; i < n; i++) padici_codec_put_bits(&bits, @@data[i] - base@@, width);',
     '(uint32_t)data[i]'),
    ('huffman run', 'coder Huffman: 17 unused symbols as one run', PADIC,
     'while (@@run < 16@@ && lengths[s + run] == 0) run++;', 'run < 17'),
    ('huffman kraft', 'coder Huffman: lengths that are one too short', PADIC,
     'for (i = 0; @@kraft > limit@@; i = (i + 1) % used) {', 'kraft > limit + 1'),
    ('rans edge', 'coder rANS: a state at the edge is not made smaller', PADIC,
     'uint32_t x = state[lane], q;\n        if (@@x >> 20 >= f@@) {', 'x >> 20 > f'),
    ('rans 128', 'coder rANS: a frequency of 128 as one byte', PADIC,
     '} else if (@@freq[s] < 128@@) {\n            padici_codec_put_u8(out, freq[s]);',
     'freq[s] <= 128'),
    ('sparse map', 'coder sparse: no bits for bytes behind the last eight', PADIC,
     'for (i = 0; @@i < n@@; i++)\n            if (data[i]) map[i / 8]', 'i < (n & ~(size_t)7)'),
    ('sparse gap', 'coder sparse: gaps of 16 bits', PADIC,
     'w->gaps[at++] = @@i - before@@;', '(uint16_t)(i - before)'),
    ('context sum', 'coder contexts: classes begin below 256', PADIC,
     'padici_codec_put_u8(&w->out, @@(uint32_t)plan->from[k] >> 8@@);', '0u'),
    ('context steps', 'coder contexts: the second distance with the steps of the first', PADIC,
     'v += padici_codec_context_byte(data, i, j, plan->b, @@b_steps@@);', 'a_steps'),
    ('context last', 'coder contexts: the last byte is left out', PADIC,
     'i = lane * length + j;\n            if (@@i >= n@@) continue;', 'i + 1 >= n'),
    ('context edge', 'coder contexts: a state at the edge is not made smaller', PADIC,
     'f = freq[e];\n            if (@@x >> 20 >= f@@) {', 'x >> 20 > f'),
    ('repeats last', 'coder repeats: code 1 does not make its distance the last one', PADIC,
     'if (@@distance != last[0]@@) last[1] = last[0], last[0] = distance;\n        from '
     '= i += length;',
     'distance != last[0] && distance != last[1]'),
    # ---- within a bound
    ('absolute', 'bound absolute, range: room for the rounding added', PADIC,
     'return padici_codec_is_within(x, y, @@tolerance->absolute@@);\n    } else {',
     'tolerance->absolute + (x < 0 ? -x : x) * 1e-7'),
    ('integers', 'bound of integers: one more', PADIC,
     'return @@(double)apart <= tolerance->absolute && apart <= transform->g / 2@@;',
     '(double)apart <= tolerance->absolute + 1'),
    ('pointwise', 'bound pointwise: what is finite fits', PADIC,
     'return @@most >= 1e-280 && padici_codec_is_within(x, y, most * (1 - 4.5e-16))@@;\n        }\n'
     '        return padici_codec_is_within(x, y, tolerance', 'x - x == 0'),
    ('smooth', 'bound, interpolated: three halves of it', PADIC,
     'padici_codec_value(box->dtype, again), @@tolerance->absolute@@))\n            continue;',
     'tolerance->absolute * 1.5'),
    ('copy bound', 'bound, a block as a copy: twice the bound', PADIC,
     'padici_codec_is_within(padici_codec_value(box->dtype, p), padici_codec_value(box->dtype, '
     'q),\n'
     '                                      @@tolerance->absolute@@)))', '2 * tolerance->absolute'),
    # ---- profiles
    ('profile delta', 'profiles, differences: that over a group\'s begin does not count', PADIC,
     'if (@@i@@) apart[g] |= padici_codec_fold(x[i] - x[i - 1]);', 'i % PADICI_CODEC_GROUP'),
    ('profile constant', 'profiles, constant: exceptions are lost', PADIC,
     'if (@@s.least == s.most && !off@@ && 22 <= raw) {', 's.least == s.most'),
    ('profile coded', 'profile CODED: the digits of the differences for those of the words', PADIC,
     'if (@@!delta@@) padici_codec_profile_words(s, x, z, n, 0);', '0'),
    ('profile off', 'profiles, exceptions: a gap counts from the exception itself', PADIC,
     'gaps[i] = w->off[i] - (i ? @@w->off[i - 1] + 1@@ : 0);\n'
     '        values[i] = padici_codec_element(w->raw, w->off[i], size);', 'w->off[i - 1]'),
    # ---- vectors
    ('simd fixed', 'vectors, packed digits: no mask', SIMD,
     'const __m512i mask = @@padici_avx512_all(~UINT64_C(0) >> (64 - width))@@;\n'
     '    const __m512i none', 'padici_avx512_all(~UINT64_C(0))'),
    ('simd tokens', 'vectors, classes: compared as signed', SIMD,
     't, @@_mm512_cmplt_epu64_mask(v, plain)@@, v)));', '_mm512_cmplt_epi64_mask(v, plain)'),
    ('simd plain bits', 'vectors, classes: two times 30 plain bits at once', SIMD,
     'for (i = 0; @@i + 8 <= n && widest <= 28@@; i += 8) {', 'i + 8 <= n && widest <= 30'),
    ('simd least', 'vectors, coset: the tail is not compared with the head', SIMD,
     '*differ |= @@rest | (x[i] ^ x[0])@@;', 'rest'),
    ('simd difference', 'vectors, differences: the first one of a short segment is left out', SIMD,
     'b = _mm512_maskz_loadu_epi64(@@there & _mm512_cmpge_epu64_mask(place, first)@@,\n'
     '                                         x + at - stride);\n'
     '            a = exclusive', 'there & _mm512_cmpgt_epu64_mask(place, first)'),
    # ---- what the proof cannot see
    ('gather!', 'blocks from the array: the begin of the slowest axis for all', PADIC,
     'for (k = 0; k < grid->axes; k++)\n'
     '        from += (int64_t)(begin[k] - (k ? 0 : packing->first_row)) * '
     '@@packing->stride[k]@@ *\n'
     '                (int64_t)grid->element;\n    padici_codec_copy_box(raw',
     '(k == 2 && grid->rank > 3 ? packing->stride[1] : packing->stride[k])'),
    ('raw payload!', 'transform raw: another buffer', PADIC,
     'padici_codec_put_bytes(&w->out, @@w->raw@@, box->n * box->size);', '(const void *)w->words'),
    ('complex bound!', 'bound: complex numbers have the whole of it for each part', PADIC,
     ': padici_codec_product_down(absolute, @@0.70710678118654746@@);', '1.0'),
    ('range!', 'bound of the range: the greatest value for the range', PADIC,
     'return padici_codec_difference_down(all.high, @@all.low@@);', '(all.low < 0 ? all.low : 0)'),
    ('rms!', 'bound, mean square: half of the squares', PADIC,
     'if (squares) sum = sum + @@d * d@@;', 'd * d * 0.5'),
    ('importance!', 'bound, importance: the first factor of a block for the least', PADIC,
     'if (@@(double)x < least@@) least = (double)x;', '!(least <= FLT_MAX) && (double)x < least'),
    ('layer digest!', 'layers: the checksum of a reference with a wrong seed', PADIC,
     'w->referenced = 1;\n    w->digest = (*w->loops->checksum)(w->reference, '
     'box->n * box->size, @@index@@);', '(index ? index - 1 : 0)'),
    ('header span!', 'super-blocks: their length in the header is one less', PADIC,
     'padici_store32(p + size - 12, @@grid->span@@);', 'grid->span - (grid->span > 2)'),
    ('both huffman!', 'coder Huffman: another order of codes, in packer and reader', PADIC,
     'for (s = 0; s < 256; s++) {\n            uint32_t code = @@next@@, reversed = 0, i;',
     '(length == 5 ? next ^ 1u : next)'),
]

QUICK = ['scale g', 'reference tail', 'match last', 'buckets edge', 'huffman run']
EVERYDAY = 15000  # cases that test_pack_many runs by itself
SECOND = ['test_codec_proof', 'test_codec_golden', 'test_codec_roundtrip']


def loosely(text):  # however its lines are broken
    return r'\s*'.join(re.escape(word) for word in re.findall(r'\w+|[^\w\s]', text))


def plant(texts):
    changes = []  # all found in the texts as they are, then made from the last one on
    for number, (name, _, path, context, new) in enumerate(BUGS, 1):
        parts = context.split('@@')
        if len(parts) != 3:
            sys.exit(f'{name}: one expression between @@')
        pattern = '(' + r')\s*('.join(loosely(part) for part in parts) + ')'
        found = list(re.finditer(pattern, texts[path]))
        if len(found) != 1:
            sys.exit(f'{name}: found {len(found)} times in {path}:\n{context}')
        old = found[0].group(2)
        changes.append((path, found[0].start(2), old,
                        f'(padici_planted == {number} ? ({new}) : ({old}))'))
    for path, at, old, wrong in sorted(changes, reverse=True):
        texts[path] = texts[path][:at] + wrong + texts[path][at + len(old):]
    return texts


def copy_tree(folder):
    for path in os.listdir(ROOT):
        if path.endswith('.h'):
            shutil.copy(os.path.join(ROOT, path), folder)
    for part in ('backends', 'tests/codec', 'tests/support'):
        os.makedirs(os.path.join(folder, part))
        for path in os.listdir(os.path.join(ROOT, part)):
            if path.endswith(('.h', '.c')):
                shutil.copy(os.path.join(ROOT, part, path), os.path.join(folder, part))
    for path in ('golden', 'data'):
        os.symlink(os.path.join(ROOT, 'tests', path), os.path.join(folder, 'tests', path))
    texts = {path: open(os.path.join(ROOT, path)).read() for path in (PADIC, SIMD)}
    for path, text in plant(texts).items():
        with open(os.path.join(folder, path), 'w') as file:
            file.write(text)
    with open(os.path.join(folder, 'planted.h'), 'w') as file:
        file.write('#include <stdlib.h>\n'
                   'static int padici_planted;\n'
                   '__attribute__((constructor)) static void padici_plant(void)\n'
                   '{\n    const char *number = getenv("PADIC_PLANT");\n'
                   '    padici_planted = number ? atoi(number) : 0;\n}\n')


def build(folder, name):
    command = [os.environ.get('CC', 'cc'), '-O1', '-w', '-include', 'planted.h', '-I.',
               f'tests/codec/{name}.c', '-o', name, '-lm', '-lpthread']
    subprocess.run(command, cwd=folder, check=True)


def run(folder, number, name, *words):
    result = subprocess.run(['./' + name, *words], cwd=folder, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, errors='replace', timeout=3600,
                            env={**os.environ, 'PADIC_PLANT': str(number)})
    return result.returncode, result.stdout


# Failures of test_pack_many that are not of data: a level of vectors without the mistake, or a
# packer without a proof, gives other bytes than the first one did, fewer (0), more (-105), or
# within a bound other elements; or the other reader, which follows FORMAT.md alone, does not agree
# with the library's.
OTHER = re.compile('other bytes|codec_reader.h decodes something else|'
                   'stream of unknown length: other elements|'
                   r'packer \d+: pack gives -105|capacity \d+ gives (-105|0),')


# How many cases had blocks stored raw, which lost data, and which failed in another way.
def many(folder, number, options, begin):
    words = ['--seed', str(options.seed), '--from', str(begin), '--count', str(options.count),
             '--no-shrink', '--keep-going', '--allow-reencoded']
    code, text = run(folder, number, 'test_pack_many', *words)
    counted = re.search(r'stored raw: (\d+) blocks in (\d+) cases', text)
    blocks, cases = map(int, counted.groups()) if counted else (0, 0)
    failed = re.findall(r'FAILED: (.*)', text)
    if code and not failed:
        failed = ['exit status %d' % code]
    return (blocks, cases, [line for line in failed if not OTHER.search(line)],
            [line for line in failed if OTHER.search(line)])


def try_one(folder, number, options):
    name = BUGS[number - 1][0] if number else 'none'
    begin, run_cases = time.time(), options.count
    blocks, cases, lost, other = many(folder, number, options, 0)
    while (number and not options.quick and not (cases or lost or (other and name[-1] == '!')) and
           run_cases + options.count <= EVERYDAY):
        blocks, cases, lost, more = many(folder, number, options, run_cases)
        run_cases += options.count
        other += more
    caught = ['test_pack_many'] if cases or lost or other else []
    for test in SECOND:
        if not options.quick and not caught and number and run(folder, number, test)[0]:
            caught.append(test)
    print('%-20s stored raw: %5d blocks, %4d cases of %5d; lost data: %4d; other: %3d; caught '
          'by: %s (%.0f s)' % (name, blocks, cases, run_cases, len(lost), len(other),
                               ', '.join(caught) or 'NOTHING', time.time() - begin), flush=True)
    for line in lost[:2] + other[:1]:
        print('    ' + line, flush=True)
    return number, blocks, '%d of %d' % (cases, run_cases), lost, caught


def vectors():
    try:
        return 'avx512ifma' in open('/proc/cpuinfo').read()
    except OSError:
        return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--quick', action='store_true')
    parser.add_argument('--count', type=int)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only', default='')
    parser.add_argument('--jobs', type=int, default=1)
    parser.add_argument('--from', dest='first', type=int, default=1)
    parser.add_argument('--to', type=int, default=len(BUGS))
    parser.add_argument('--table')
    parser.add_argument('--scratch', help='a folder to keep; what is built there is used again')
    parser.add_argument('--list', action='store_true')
    options = parser.parse_args()
    if options.count is None:
        options.count = 600 if options.quick else 2500
    chosen = [k for k, bug in enumerate(BUGS, 1)
              if options.first <= k <= options.to and options.only in bug[0] and
              (not options.quick or bug[0] in QUICK)]
    if not vectors():
        print('no AVX-512 with IFMA here: mistakes in vectors are left out')
        chosen = [k for k in chosen if BUGS[k - 1][2] != SIMD]
    if options.list:
        for k in chosen:
            print(k, *BUGS[k - 1][:2], sep='\t')
        return 0
    folder = options.scratch or tempfile.mkdtemp()
    if not os.path.exists(os.path.join(folder, 'test_pack_many')):
        os.makedirs(folder, exist_ok=True)
        copy_tree(folder)
        for name in ['test_pack_many'] + ([] if options.quick else SECOND):
            build(folder, name)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(lambda k: try_one(folder, k, options), [0] + chosen))
    if not options.scratch:
        shutil.rmtree(folder)
    bad = 0
    if rows[0][4]:
        print('without a mistake a test fails')
        bad = 1
    table = ['| mistake | stage and what | blocks stored raw | cases | lost data | caught by |',
             '|---|---|---|---|---|---|']
    for number, blocks, cases, lost, caught in rows[1:]:
        name, stage = BUGS[number - 1][:2]
        bad |= not caught or (not name.endswith('!') and (bool(lost) or blocks == 0))
        table.append('| %s | %s | %d | %s | %s | %s |' %
                     (name.rstrip('!'), stage, blocks, cases, len(lost) or 'none',
                      ', '.join(caught) or 'nothing'))
    if options.table:
        with open(options.table, 'w') as file:
            file.write('\n'.join(table) + '\n')
    print('%d mistakes, %d caught' % (len(rows) - 1, sum(bool(row[4]) for row in rows[1:])))
    return bad


if __name__ == '__main__':
    sys.exit(main())
