// Graphs by capture and by nodes, in the old and the new signatures.
//~ calls: cudaStreamBeginCapture cudaStreamEndCapture cudaStreamIsCapturing cudaGraphInstantiate cudaGraphLaunch
//~ calls: cudaGraphExecUpdate cudaGraphExecDestroy cudaGraphDestroy cudaGraphCreate cudaGraphAddKernelNode
//~ calls: cudaGraphAddMemcpyNode cudaGraphAddMemcpyNode1D cudaGraphAddMemsetNode cudaGraphAddHostNode
//~ calls: cudaGraphAddEmptyNode cudaGraphAddDependencies cudaGraphGetNodes cudaGraphExecKernelNodeSetParams
//~ calls: cudaGraphInstantiateWithFlags cudaGraphUpload cudaGraphAddMemcpyNodeToSymbol cudaGraphNodeGetType
//~ calls: cudaGraphClone cudaGraphAddChildGraphNode
//~ calls no others
__global__ void step(float *x, int n) { x[threadIdx.x] += n; }
__constant__ float table[4];
void on_host(void *) {}

int main() {
    cudaStream_t stream = cudaStreamLegacy;
    cudaGraph_t graph, made, clone;
    cudaGraphExec_t exec, second;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaStreamCaptureStatus status;
    cudaStreamIsCapturing(stream, &status);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphInstantiate(&exec, graph);
    cudaGraphInstantiateWithFlags(&second, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch);
    cudaGraphNode_t error_node;
    cudaGraphExecUpdateResult result;
    cudaGraphExecUpdate(exec, graph, &error_node, &result);
    cudaGraphExecUpdateResultInfo info;
    cudaGraphExecUpdate(exec, graph, &info);
    cudaGraphCreate(&made, 0);
    float *x = nullptr;
    int n = 2;
    void *arguments[] = {&x, &n};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)step;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(32);
    kernel.kernelParams = arguments;
    cudaGraphNode_t nodes[6];
    cudaGraphAddKernelNode(&nodes[0], made, nullptr, 0, &kernel);
    cudaMemcpy3DParms copy = {};
    cudaGraphAddMemcpyNode(&nodes[1], made, nodes, 1, &copy);
    cudaGraphAddMemcpyNode1D(&nodes[2], made, nodes, 1, x, x, 4, cudaMemcpyDeviceToDevice);
    cudaGraphAddMemcpyNodeToSymbol(&nodes[2], made, nodes, 1, table, x, 16, 0, cudaMemcpyDeviceToDevice);
    cudaMemsetParams set = {};
    cudaGraphAddMemsetNode(&nodes[3], made, nullptr, 0, &set);
    cudaHostNodeParams host = {on_host, nullptr};
    cudaGraphAddHostNode(&nodes[4], made, nullptr, 0, &host);
    cudaGraphAddEmptyNode(&nodes[5], made, nullptr, 0);
    cudaGraphAddDependencies(made, &nodes[0], &nodes[1], 1);
    size_t count = 6;
    cudaGraphGetNodes(made, nodes, &count);
    cudaGraphNodeType type;
    cudaGraphNodeGetType(nodes[0], &type);
    cudaGraphExecKernelNodeSetParams(exec, nodes[0], &kernel);
    cudaGraphClone(&clone, made);
    cudaGraphAddChildGraphNode(&nodes[5], made, nullptr, 0, clone);
    cudaGraphUpload(exec, stream);
    cudaGraphLaunch(exec, stream);
    cudaGraphExecDestroy(exec);
    return cudaGraphDestroy(graph);
}
