#pragma once
// ------------------------------------------------------------------------------------ >>version

#define PADIC_VERSION_MAJOR 0
#define PADIC_VERSION_MINOR 1
#define PADIC_VERSION_PATCH 0
#define PADIC_VERSION "0.1.0"
#define PADIC_CODEC_WIRE_VERSION 1 // the container's own version; older ones stay readable

#ifndef PADIC_LAYOUT // when rooms are compiled by themselves
#define PADIC_LAYOUT 0u
#endif
