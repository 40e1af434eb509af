// launches LAUNCHES PER_SUBMISSION: how many tokens a second the launches of the first OpenCL device alone permit. A token is here
// a chain of so many launches that compute next to nothing, each with three buffers and a structure of ten numbers, as llmd's have, and
// the read of a word; as with llmd, the next token is queued before the one before is waited for, and every PER_SUBMISSION launches
// are submitted (0: once a token). docs/performance.md has what it gives through zink.
//   cc -o launches launches.c -lOpenCL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kBuffers = 3, kNumbers = 10, kItems = 64, kTokens = 200 };

static const char* source =
    "typedef struct { uint n[10]; } numbers_t;\n"
    "__kernel void link(__global uint* a, __global uint* b, __global uint* c, const numbers_t numbers) {\n"
    "    uint sum = 0;\n"
    "    for (uint i = 0; i < 10; ++i) sum += numbers.n[i];\n"
    "    a[get_global_id(0)] += b[get_global_id(0)] + c[get_global_id(0)] + sum;\n"
    "}\n";

static void check(cl_int status, const char* what) {
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "launches: %s: %d\n", what, status);
    exit(1);
}

int main(int count, char** arguments) {
    const int launches = count > 1 ? atoi(arguments[1]) : 113, at_once = count > 2 ? atoi(arguments[2]) : 0;
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "link", &status);
    check(status, "clCreateKernel");
    cl_mem buffers[kBuffers];
    for (cl_uint i = 0; i < kBuffers; ++i) {
        buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, kItems * sizeof(cl_uint), NULL, &status);
        check(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]), "clSetKernelArg");
    }
    const cl_uint numbers[kNumbers] = {1};
    check(clSetKernelArg(kernel, kBuffers, sizeof numbers, numbers), "clSetKernelArg");

    const size_t items = kItems;
    struct timespec begin, end;
    cl_event done[2] = {NULL, NULL};
    cl_uint word[2];
    for (int token = -kTokens; token < kTokens; ++token) {  // those below 0 warm up
        if (token == 0) clock_gettime(CLOCK_MONOTONIC, &begin);
        for (int i = 1; i <= launches; ++i) {
            check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL), "clEnqueueNDRangeKernel");
            if (at_once != 0 && i % at_once == 0) check(clFlush(queue), "clFlush");
        }
        const int now = token & 1, before = !now;
        check(clEnqueueReadBuffer(queue, buffers[0], CL_FALSE, 0, sizeof word[now], &word[now], 0, NULL, &done[now]), "read");
        check(clFlush(queue), "clFlush");
        if (done[before] == NULL) continue;
        check(clWaitForEvents(1, &done[before]), "clWaitForEvents");
        clReleaseEvent(done[before]);
    }
    check(clFinish(queue), "clFinish");
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double seconds = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    printf("%d launches a token: %.1f tokens/s, %.1f us a launch\n", launches, kTokens / seconds, 1e6 * seconds / kTokens / launches);
    return 0;
}
