/// The version of the library a program runs with, for bug reports: `castor_version()` in a debugger or by dlsym.
extern "C" const char* castor_version();

const char* castor_version() { return CASTOR_VERSION; }
