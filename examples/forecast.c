// forecast.c: a recurrent network that goes on with a series: a GRU of 6 units and a dense layer
// predict two years of airline passengers, each month from what they predicted of the one before.
//
//     cc -O2 -o forecast examples/forecast.c -lpng -lm && ./forecast forecast.png
//
// The series: thousands of passengers of international airlines, monthly, 1949 to 1960 (Brown 1963;
// series G of Box and Jenkins, "Time Series Analysis", 1970). The network sees 1949 to 1958; its
// weights were trained on these years alone, so 1959 and 1960 are new to it. Inputs are the
// logarithm without its trend, and a sine and a cosine of the month.
//
// How it was trained, in PyTorch: nn.GRU(3, 6) and nn.Linear(6, 1) on the next month's value, mean
// square after the first year; Adam, 1,200 rounds, step 0.02 falling to 0, weight decay 1e-4, noise
// of 0.1 on the series' input; of four starts the one that best forecast 1957 and 1958 by itself.
// PyTorch's weights are padic.h's, here with three decimals.
//
// The picture: the series in white, the forecast in orange, and in grey the guess that it must
// beat: the last year that was seen, again.
#define PADIC_IMPLEMENTATION
#define PADIC_ONLY_RNN
#include "../padic.h"
#include <math.h>
#include <png.h>
#include <stdio.h>

enum { MONTHS = 144, SEEN = 120, AHEAD = MONTHS - SEEN, WIDE = 720, HIGH = 320 };

static const int passengers[MONTHS] = {
    112, 118, 132, 129, 121, 135, 148, 148, 136, 119, 104, 118, // 1949
    115, 126, 141, 135, 125, 149, 170, 170, 158, 133, 114, 140,
    145, 150, 178, 163, 172, 178, 199, 199, 184, 162, 146, 166,
    171, 180, 193, 181, 183, 218, 230, 242, 209, 191, 172, 194,
    196, 196, 236, 235, 229, 243, 264, 272, 237, 211, 180, 201,
    204, 188, 235, 227, 234, 264, 302, 293, 259, 229, 203, 229,
    242, 233, 267, 269, 270, 315, 364, 347, 312, 274, 237, 278,
    284, 277, 317, 313, 318, 374, 413, 405, 355, 306, 271, 306,
    315, 301, 356, 348, 355, 422, 465, 467, 404, 347, 305, 336,
    340, 318, 362, 348, 363, 435, 491, 505, 404, 359, 310, 337, // 1958
    360, 342, 406, 396, 420, 472, 548, 559, 463, 407, 362, 405,
    417, 391, 419, 461, 472, 535, 622, 606, 508, 461, 390, 432};

// Gates r, z, n; the columns of `input` are the series, sine, cosine.
static float input[18][3] = {
    {0.171f, -1.625f, 0.483f},
    {-1.318f, 0.327f, -0.873f},
    {-0.882f, -0.055f, 0.835f},
    {-0.218f, -1.629f, -0.536f},
    {-1.578f, 0.066f, -0.340f},
    {-1.181f, -1.671f, 2.032f},
    {-1.579f, 1.255f, 0.381f},
    {0.670f, 1.352f, -0.800f},
    {0.623f, 0.910f, 0.130f},
    {-0.518f, 0.332f, -1.196f},
    {1.675f, 1.379f, -0.675f},
    {-0.286f, -1.613f, 0.171f},
    {-0.206f, -1.143f, -0.187f},
    {0.377f, 0.390f, -0.299f},
    {-0.445f, -0.460f, 0.703f},
    {0.229f, 0.135f, -1.014f},
    {0.162f, 1.431f, -0.236f},
    {0.647f, -0.131f, 0.640f}};
static float recurrent[18][6] = {
    {1.255f, -0.654f, 0.627f, -0.277f, -0.474f, -0.521f},
    {0.002f, 0.134f, 0.009f, -0.084f, 0.307f, -0.919f},
    {0.299f, -0.459f, 1.199f, -0.358f, -0.396f, 0.705f},
    {1.775f, 0.080f, 0.730f, 1.987f, -0.631f, 0.786f},
    {-0.415f, -0.359f, -0.106f, 0.178f, -0.925f, -0.248f},
    {0.724f, -0.231f, 0.401f, 0.333f, -1.191f, -0.156f},
    {-1.343f, -0.617f, 0.325f, 0.111f, 0.030f, 2.121f},
    {-0.649f, -0.879f, -0.124f, -1.361f, -0.376f, 1.007f},
    {-0.264f, -0.158f, 0.644f, -0.208f, -0.038f, 0.763f},
    {-1.022f, 0.612f, -0.536f, 1.199f, 1.458f, 0.143f},
    {0.055f, -0.701f, 0.310f, -1.146f, 0.576f, 1.120f},
    {0.932f, 0.095f, -1.090f, 0.972f, -0.265f, -0.735f},
    {0.089f, 0.662f, -0.541f, 1.314f, 1.156f, -0.185f},
    {0.094f, 0.591f, -1.026f, 0.327f, 0.570f, 0.135f},
    {-0.435f, 0.046f, -0.165f, 1.035f, 0.130f, 1.195f},
    {-1.566f, -1.181f, 0.199f, 0.434f, -0.531f, 1.088f},
    {-1.079f, 0.534f, -0.351f, 1.105f, 1.244f, 0.377f},
    {-0.012f, -0.792f, 1.085f, -0.416f, -1.095f, 0.517f}};
static float bias[18] = {
    0.243f, 0.018f, -0.577f, 0.356f, 0.464f, -0.320f, -0.715f, -0.355f, -0.589f, -0.202f, -0.717f,
    0.568f, -0.407f, 0.169f, -0.383f, 0.280f, 0.318f, -0.352f};
static float recurrent_bias[18] = {
    0.420f, -0.073f, -0.133f, 0.857f, 0.369f, -0.255f, -0.597f, -0.048f, -0.889f, -0.252f,
    -0.117f, 0.187f, -0.288f, 0.015f, 0.218f, 0.715f, 0.143f, 0.219f};
static float dense[1][6] = {
    {-0.828f, 0.834f, -0.953f, -0.880f, 0.856f, 1.117f}};
static float dense_bias[1] = {
    0.193f};

// The trend of the logarithm, and the unit of what is left.
static double trend(int month)
{
    return 4.8008 + 0.01058 * month;
}
static const double unit = 0.15;

static uint8_t picture[HIGH][WIDE][3];

static void line(int month, double from, double to, int red, int green, int blue)
{
    for (int i = 0; i <= 200; i++) {
        const double value = from + (to - from) * i / 200;
        const int x = (int)((month + i / 200.0) * (WIDE - 10) / (MONTHS - 1)) + 5;
        const int y = HIGH - 10 - (int)(value * (HIGH - 20) / 650);
        for (int k = 0; k < 2; k++) {
            uint8_t *p = picture[y + k][x];
            p[0] = (uint8_t)red, p[1] = (uint8_t)green, p[2] = (uint8_t)blue;
        }
    }
}

// Both years, from the states after 1958; returns what failed.
static padic_result forecast(float x[MONTHS][3], float out[AHEAD])
{
    float state[6];
    padic_rnn_layer layers[2] = {PADIC_ZERO, PADIC_ZERO};
    padic_rnn_plan_desc net = PADIC_ZERO;
    padic_rnn_run_desc run = PADIC_ZERO;
    layers[0].weights.input = padic_tensor_2d(PADIC_F32, input, 18, 3);
    layers[0].weights.recurrent = padic_tensor_2d(PADIC_F32, recurrent, 18, 6);
    layers[0].weights.bias = padic_tensor_1d(PADIC_F32, bias, 18);
    layers[0].weights.recurrent_bias = padic_tensor_1d(PADIC_F32, recurrent_bias, 18);
    layers[1].kind = PADIC_RNN_KIND_LINEAR;
    layers[1].weights.input = padic_tensor_2d(PADIC_F32, dense, 1, 6);
    layers[1].weights.bias = padic_tensor_1d(PADIC_F32, dense_bias, 1);
    net.layers = layers;
    net.layer_count = 2;
    padic_result result = padic_rnn_plan_create(NULL, &net, &run.plan);
    if (result) return result;
    run.x = padic_tensor_3d(PADIC_F32, x, SEEN - 1, 1, 3); // what is known
    run.out_h = padic_tensor_3d(PADIC_F32, state, 1, 1, 6);
    result = padic_rnn_run(NULL, &run);
    padic_rnn_plan_destroy(run.plan);
    net.feedback = PADIC_RNN_FEEDBACK_REPLACE; // column 0 is the output of the step before
    if (!result) result = padic_rnn_plan_create(NULL, &net, &run.plan);
    if (result) return result;
    run.x = padic_tensor_3d(PADIC_F32, x[SEEN - 1], AHEAD, 1, 3);
    run.h0 = run.out_h;
    run.out = padic_tensor_3d(PADIC_F32, out, AHEAD, 1, 1);
    result = padic_rnn_run(NULL, &run);
    padic_rnn_plan_destroy(run.plan);
    return result;
}

int main(int argc, char **argv)
{
    static float x[MONTHS][3], out[AHEAD];
    double errors = 0, naive = 0, months[AHEAD];
    for (int i = 0; i < MONTHS; i++) { // the network may not see the series beyond SEEN
        x[i][0] = i < SEEN ? (float)((log(passengers[i]) - trend(i)) / unit) : 0;
        x[i][1] = (float)sin(i % 12 * 3.14159265358979 / 6);
        x[i][2] = (float)cos(i % 12 * 3.14159265358979 / 6);
    }
    const padic_result result = forecast(x, out);
    if (result) return puts(padic_result_text(result)), 1;
    for (int i = 0; i < AHEAD; i++) {
        const int true_value = passengers[SEEN + i], old = passengers[SEEN - 12 + i % 12];
        months[i] = exp(trend(SEEN + i) + unit * out[i]);
        errors += (months[i] - true_value) * (months[i] - true_value) / (double)AHEAD;
        naive += (double)(old - true_value) * (old - true_value) / (double)AHEAD;
        if (i % 6 == 1)
            printf("%d-%02d: %d thousand passengers, forecast %.0f\n", 1959 + i / 12, i % 12 + 1,
                   true_value, months[i]);
    }
    printf("root mean square error: %.1f; of the last year again: %.1f\n", sqrt(errors),
           sqrt(naive));
    if (argc < 2) return 0;
    for (int i = 0; i < AHEAD - 1; i++)
        line(SEEN + i, passengers[SEEN - 12 + i % 12], passengers[SEEN - 12 + (i + 1) % 12], 110,
             110, 110);
    for (int i = 0; i < MONTHS - 1; i++) line(i, passengers[i], passengers[i + 1], 235, 235, 235);
    for (int i = 0; i < AHEAD - 1; i++) line(SEEN + i, months[i], months[i + 1], 255, 150, 40);
    png_image image = {0};
    image.version = PNG_IMAGE_VERSION;
    image.width = WIDE;
    image.height = HIGH;
    image.format = PNG_FORMAT_RGB;
    if (!png_image_write_to_file(&image, argv[1], 0, picture, 0, NULL))
        return puts(image.message), 1;
    return 0;
}
