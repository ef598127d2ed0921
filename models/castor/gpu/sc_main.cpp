// SystemC's library requires a function of this name in every program that links it. Programs with Castor have their
// own `main`, so this function is never called. It is weak, so that a program can define its own sc_main.
extern "C" __attribute__((weak)) int sc_main(int /*argc*/, char** /*argv*/) { return 1; }
