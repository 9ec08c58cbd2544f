# python quantize.py IN.gguf OUT.gguf TYPE
# Makes a file of another type of a float file, as llama.cpp does it. TYPE: the number of an llama_ftype. Needs llama-cpp-python.
import ctypes
import sys

import llama_cpp.llama_cpp as C


@C.llama_log_callback
def silent(level, text, user_data):
    pass


C.llama_log_set(silent, ctypes.c_void_p(0))
C.llama_backend_init()
params = C.llama_model_quantize_default_params()
params.ftype = int(sys.argv[3])
params.nthread = 2
code = C.llama_model_quantize(sys.argv[1].encode(), sys.argv[2].encode(), ctypes.byref(params))
if code != 0:
    sys.exit(f"llama.cpp cannot quantize {sys.argv[1]}: {code}")
