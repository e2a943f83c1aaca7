
// The labels of one tensor, up to the next ',' or "->"; -1, or how many there were.
static int padici_tensor_labels_read(const char *text, uint32_t *at, uint8_t labels[PADIC_MAX_RANK])
{
    int n = 0;
    memset(labels, 0, PADIC_MAX_RANK);
    for (;; ++*at) {
        const char c = text[*at];
        if (c == ' ') continue;
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) return n;
        if (n == PADIC_MAX_RANK) return -1;
        labels[n++] = (uint8_t)c;
    }
}

// The labels that occur once in a and b together, in the order of the alphabet.
static int padici_tensor_labels_guess(const uint8_t *a, const uint8_t *b, uint8_t *c)
{
    uint32_t label, i, n = 0;
    memset(c, 0, PADIC_MAX_RANK);
    for (label = 'A'; label <= 'z'; label++) {
        uint32_t count = 0;
        for (i = 0; i < PADIC_MAX_RANK; i++) {
            count += a[i] == label;
            count += b[i] == label;
        }
        if (count != 1) continue;
        if (n == PADIC_MAX_RANK) return -1;
        c[n++] = (uint8_t)label;
    }
    return 0;
}

PADIC_API padic_result padic_tensor_labels(const char *expression,
                                           padic_tensor_contract_desc *desc, uint32_t *position)
{
    uint8_t labels[3][PADIC_MAX_RANK];
    uint32_t at = 0, i;
    int good = 1, guess = 0;
    padic_result result = PADIC_OK;
    if (position) *position = 0;
    if (!expression || !desc) return PADIC_ERROR_ARGUMENT;
    for (i = 0; i < 3 && good && !guess; i++) {
        if (padici_tensor_labels_read(expression, &at, labels[i]) < 0) result = PADIC_ERROR_LIMIT;
        if (result) break;
        if (i == 1) {
            guess = !expression[at];
            good = guess || (expression[at] == '-' && expression[at + 1] == '>');
            if (good && !guess) at += 2;
        } else {
            good = expression[at] == (i == 0 ? ',' : 0);
            if (good && i == 0) at++;
        }
    }
    if (!result && !good) result = PADIC_ERROR_ARGUMENT;
    if (!result && guess && padici_tensor_labels_guess(labels[0], labels[1], labels[2]))
        result = PADIC_ERROR_LIMIT;
    if (position) *position = at;
    if (result) return result;
    memcpy(desc->labels_a, labels[0], sizeof labels[0]);
    memcpy(desc->labels_b, labels[1], sizeof labels[1]);
    memcpy(desc->labels_c, labels[2], sizeof labels[2]);
    return PADIC_OK;
}
