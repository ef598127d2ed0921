/// Returns the version of Castor, for bug reports. A debugger or dlsym finds the function by name.
extern "C" const char* castor_version();

const char* castor_version() { return CASTOR_VERSION; }
