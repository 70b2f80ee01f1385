/* SPDX-License-Identifier: MIT
 *
 * safetensors: the weights of an LSTM in the exchange format of PyTorch and others.
 *
 * A file has eight bytes with the length of a JSON header, the header, then the bytes of the
 * tensors.  Tensors have the names, shapes and gate order of a PyTorch module with `rnn =
 * LSTM(V, H, layers)` and `decoder = Linear(H, V)`, so PyTorch computes the same
 * log-probabilities.  Alphabet and maximum length, which PyTorch does not know, are in the
 * header's metadata.
 *
 * Tested by tests/cli/model-convert.t.
 */
#ifndef GAMUT_SAFETENSORS_H
#define GAMUT_SAFETENSORS_H

#include <stdint.h>

struct alphabet;
struct err;
struct input;
struct lstm;
struct output;

/* 0 or the error of `out`. */
int safetensors_write(const struct lstm *m, struct output *out, struct err *e);

/* Not a length: the metadata give it. */
#define SAFETENSORS_LENGTH UINT64_MAX

/* `alphabet` NULL and `max_length` SAFETENSORS_LENGTH: from the metadata; ERR_USAGE if it
 * lacks them.  NULL on failure, with a text that names file and tensor. */
struct lstm *safetensors_read(struct input *in, const struct alphabet *alphabet,
                              uint64_t max_length, struct err *e);

#endif
