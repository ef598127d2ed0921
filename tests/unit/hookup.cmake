castor_test(hookup_lazy_twin_test KIND unit SOURCES hookup_lazy_twin_test.cpp
            LIBS castor_hookup castor_lax castor_saws castor_turnstile)
