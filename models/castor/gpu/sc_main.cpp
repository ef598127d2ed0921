// SystemC's library wants a function of this name from every program that links it. Programs over Castor have a `main`
// of their own, so this one is never called; weak, so that a program that does bring an sc_main wins.
extern "C" __attribute__((weak)) int sc_main(int /*argc*/, char** /*argv*/) { return 1; }
