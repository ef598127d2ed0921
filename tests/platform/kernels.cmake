# Every program of sw/kernels at several sizes (-O2), and a sample of them at -O0 with the same hashes, both on the functional
# machine; on the timing GPU of several shipped machines with the functional machine's results; and its command line. The
# small programs of tests/platform/programs against the text beside them, on both machines.

if(NOT TARGET castor_kernels)
  return()
endif()
include(CastorCuda)

set(kernels "${PROJECT_BINARY_DIR}/kernels")
set(functional "CASTOR_SET=run.functional=1")

# A machine that replays needs a file of services and executes nothing.
file(GLOB machines RELATIVE "${PROJECT_SOURCE_DIR}/platforms/configs" CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/platforms/configs/*.yaml")
list(TRANSFORM machines REPLACE "\\.yaml$" "")
list(FILTER machines EXCLUDE REGEX "replay")

# A few programs run on every machine, the others on four: one that takes every program, and three of the rest.
set(programs_on_every_machine bfs matmul warp_primitives)
set(machines_for_every_program fermi_gtx480 gcn_apu kepler_k20c maxwell_gtx980 pascal_titanx turing_rtx2060)

# Two warps of 32 lanes that share a program counter cannot wait for each other by spinning.
set(machines_spin_lock ${machines})
list(FILTER machines_spin_lock EXCLUDE REGEX "^gcn")
set(refused_spin_lock gcn_apu)

# The program's blocks have one dimension, and all lanes but the first exit at once.
set(nothing_shared_spin_lock --nothing-shared)
set(nothing_skipped_spin_lock --nothing-skipped)

# Thread blocks that wait for others: cycles with the block grow as the square of their number.
set(skips_producer_consumer "--stages 20 --items 3" "--stages 1 --items 1" "--stages 600 --items 2")
# Only in the first run of the program do warps skip instructions.
set(skips_device_query "--x 32 --y 3 --z 2" "--z 1" "--x 1 --y 1 --z 1")
set(skips_spin_lock "--n 200" "--n 1 --accounts 2 --blocks 1 --block 32" "--n 500 --accounts 2 --blocks 20 --block 256")

# The test block that is a swap engine (docs/gpu/swapping.md), and the programs of the check that run with it.
set(shuttle "tests/twin/shuttle")
castor_block(shuttle NO_INSTALL
  ROOT "${PROJECT_SOURCE_DIR}"
  PORTS ${shuttle}/ports.h
  ENGINE ${shuttle}/engine.h
  REGISTRATION ${shuttle}/registration.h
  FOLDER "${PROJECT_BINARY_DIR}/tests/moving_blocks/shuttle")
set(programs_swapped bfs bitonic_sort cooperative_tiles matmul warp_primitives)

# Programs whose output depends on time, so that it differs while thread blocks are swapped out: none.
set(depends_on_time)

# castor_kernel_test(<name> <arguments of one run>...): the first run and two others on the functional machine. The first is
# also the one at -O0 and on the timing GPUs. It, or the first of skips_<name>, runs once more with redundancy marks, which
# the functional machine checks, and with one more on a machine with the block darsie, whose skips are checked; both for
# one program in three. One in three runs with its thread blocks swapped out at random.
function(castor_kernel_test name)
  set(check "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_kernel.py")
  set(others ${ARGN})
  list(POP_FRONT others first)
  castor_sample(others "${name} runs" 2 ${others})
  castor_script_test(kernel_${name} KIND platform ENVIRONMENT ${functional}
    COMMAND ${check} "${kernels}/${name}" "${first}" ${others})
  if(TARGET kernel_${name}_O0)
    castor_script_test(kernel_${name}_same_at_O0 KIND platform ENVIRONMENT ${functional}
      COMMAND ${check} "${kernels}/${name}" --against "${kernels}/${name}_O0" "${first}")
  endif()
  if(NOT DEFINED skips_${name})
    set(skips_${name} ${ARGN})
  endif()
  list(GET skips_${name} 0 marks)
  if(CASTOR_TEST_MATRIX)
    set(marks ${ARGN})
  endif()
  castor_third(taken "${name} marks")
  if(taken)
    castor_script_test(kernel_${name}_marks KIND platform
      COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_marks.py" "${kernels}/${name}"
              ${nothing_shared_${name}} ${marks})
    set(names_of_marks ${names_of_marks} ${name} PARENT_SCOPE)
  endif()
  list(POP_FRONT skips_${name} skips)
  castor_sample(more "${name} skips" 1 ${skips_${name}})
  castor_third(taken "${name} skips")
  if(taken)
    castor_script_test(kernel_${name}_skips KIND platform
      COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_skips.py" "${kernels}/${name}"
              ${nothing_skipped_${name}} pascal_titanx_study ${skips} ${more})
    set(names_of_skips ${names_of_skips} ${name} PARENT_SCOPE)
  endif()
  if(NOT DEFINED machines_${name})
    set(machines_${name} ${machines})
  endif()
  set(others ${machines_${name}})
  set(able ${machines_for_every_program})
  list(REMOVE_ITEM able ${refused_${name}})
  castor_sample(first_machine ${name} 1 ${able})
  list(GET first_machine 0 first_machine)
  list(REMOVE_ITEM others ${first_machine})
  if(NOT name IN_LIST programs_on_every_machine)
    castor_sample(others ${name} 3 ${others})
  endif()
  # Thread blocks swapped out at random: one program in three on one machine and with one seed.
  castor_third(taken "${name} moved")
  if(taken AND NOT name IN_LIST depends_on_time)
    set(seeds 1)
    if(CASTOR_TEST_MATRIX)
      set(seeds 10)
    endif()
    castor_sample(moved_machines "${name} moved" 1 ${able})
    if(CASTOR_TEST_MATRIX)
      list(SUBLIST moved_machines 0 3 moved_machines)
    endif()
    castor_script_test(kernel_${name}_moved KIND platform
      COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_moved.py" "${kernels}/${name}" "${first}"
              ${seeds} ${moved_machines})
  endif()
  # The same through swap engines, for a few programs.
  if(CASTOR_TEST_MATRIX OR name IN_LIST programs_swapped)
    set(swapping_machines maxwell_liu13)
    if(CASTOR_TEST_MATRIX)
      list(APPEND swapping_machines pascal_titanx)
    endif()
    list(TRANSFORM swapping_machines APPEND ",context.mover=engine,blocks.shuttle.enable=1")
    set(seeds 1)
    if(CASTOR_TEST_MATRIX)
      set(seeds 10)
    endif()
    castor_script_test(kernel_${name}_swapped KIND platform
      COMMAND "${CMAKE_COMMAND}" -E env "CASTOR_BLOCKS=${PROJECT_BINARY_DIR}/tests/moving_blocks"
              "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_moved.py" "${kernels}/${name}" "${first}"
              ${seeds} ${swapping_machines})
  endif()
  castor_script_test(kernel_${name}_timing KIND platform
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_timing.py"
            --keep "${CASTOR_TEST_RESULTS}/runs" "${kernels}/${name}" "${first}" ${first_machine} ${others})
  set(kernel_names ${kernel_names} ${name} PARENT_SCOPE)
endfunction()

castor_kernel_test(atomics "--n 500" "--n 1 --block 1" "--n 3000 --block 100")
castor_kernel_test(backprop "--n 500" "--n 1" "--n 3001 --epochs 5")
castor_kernel_test(base64 "--n 1000" "--n 1" "--n 2" "--n 3" "--n 27" "--n 100003")
castor_kernel_test(bfs "--k 9" "--k 0" "--k 12 --block 33 --source 77" "--k 14 --degree 6" "--k 6 --degree 0")
castor_kernel_test(bfs_queue "--k 9" "--k 0" "--k 12 --block 33 --source 77 --grid 3"
                   "--k 13 --degree 16 --block 512 --grid 2" "--k 6 --degree 0")
castor_kernel_test(bignum "--n 300" "--n 1" "--n 4097 --seed 3")
castor_kernel_test(binomial_options "--n 5 --steps 60 --block 64" "--n 1 --steps 1 --block 2" "--n 4 --steps 200 --seed 4")
castor_kernel_test(bit_tricks "--n 1000" "--n 1" "--n 20001 --seed 5")
castor_kernel_test(bitonic_sort "--n 3000" "--n 1" "--n 1024" "--n 1025 --distinct 3" "--n 20000")
castor_kernel_test(black_scholes "--n 500" "--n 1 --streams 4" "--n 5001 --streams 7")
castor_kernel_test(bytecode_vm "--n 200" "--n 1" "--n 3001")
castor_kernel_test(convolution "--width 70 --height 20" "--width 1 --height 1" "--width 333 --height 65 --radius 8"
                   "--radius 1" "--radius 2" "--radius 5")
castor_kernel_test(convolution_direct "--width 40 --height 20 --radius 2" "--width 1 --height 1 --radius 0" "--width 1 --height 1 --radius 8"
                   "--width 131 --height 65 --radius 5 --block_x 8 --block_y 32" "--block_x 256 --block_y 1")
castor_kernel_test(cooperative_tiles "--rows 7 --columns 50" "--rows 1 --columns 1" "--rows 33 --columns 1001")
castor_kernel_test(coulomb "--width 70 --height 9 --atoms 12" "--width 1 --height 1 --atoms 1" "--width 200 --height 33 --atoms 50 --block_x 32 --block_y 4"
                   "--width 65 --height 9 --block_x 64 --block_y 2")
castor_kernel_test(dct "--width 33 --height 17" "--width 1 --height 1" "--width 200 --height 120")
castor_kernel_test(denoise "--width 33 --height 17 --window 1" "--width 1 --height 1" "--width 40 --height 30 --window 3 --patch 2"
                   "--width 50 --height 20 --window 0 --patch 0" "--width 50 --height 20 --block_x 64 --block_y 4")
castor_kernel_test(deadline_jobs "--n 300 --jobs 8" "--n 1 --jobs 1" "--n 5000 --jobs 30 --rounds 3 --seed 9")
castor_kernel_test(device_query "--z 1" "--x 1 --y 1 --z 1" "--x 32 --y 3 --z 2")
castor_kernel_test(driver_launch "--n 1000" "--n 1" "--n 50001 --block 96")
castor_kernel_test(fft "--log2n 6 --batch 3" "--log2n 0" "--log2n 1 --block 1" "--log2n 11 --batch 4 --block 100"
                   "--log2n 12 --batch 1")
castor_kernel_test(floyd_warshall "--nodes 40" "--nodes 1" "--nodes 129 --degree 2")
castor_kernel_test(half_precision "--n 1001" "--n 1" "--n 50000")
castor_kernel_test(hash_table "--n 1000" "--n 1 --distinct 1" "--n 30001 --distinct 7" "--n 30001 --distinct 20000")
castor_kernel_test(histogram "--n 5000" "--n 1 --bins 1" "--n 100003 --bins 12288" "--bins 13 --skew 1")
castor_kernel_test(hotspot "--width 40 --height 20 --steps 3" "--width 1 --height 1"
                   "--width 2 --height 131 --steps 9 --together 7"
                   "--width 97 --height 61 --steps 5 --together 3")
castor_kernel_test(job_mix "--divide 64 --steps 1" "--kind stem --jobs 1 --divide 1" "--kind gru64 --jobs 3 --steps 4 --gap 0"
                   "--jobs 20 --divide 16 --seed 5")
castor_kernel_test(kmeans "--n 700 --steps 4" "--n 1 --clusters 1" "--n 5001 --clusters 64 --steps 5")
castor_kernel_test(libor "--paths 300" "--paths 1 --block 1" "--paths 1000 --shared 1" "--paths 3001 --block 96")
castor_kernel_test(life "--width 40 --height 30 --generations 4" "--width 1 --height 1" "--width 257 --height 63"
                   "--width 3 --height 2 --generations 7")
castor_kernel_test(lps "--width 40 --height 10 --depth 4" "--width 1 --height 1 --depth 1"
                   "--width 67 --height 33 --depth 5 --steps 3" "--width 33 --height 3 --depth 3 --steps 1")
castor_kernel_test(lu "--n 30" "--n 1" "--n 2" "--n 97")
castor_kernel_test(mandelbrot "--width 48 --height 32 --limit 100" "--width 1 --height 1"
                   "--width 201 --height 99 --block_x 7 --block_y 5" "--limit 1000")
castor_kernel_test(math_functions "--n 200" "--n 1" "--n 3000 --seed 9")
castor_kernel_test(matmul "--n 48" "--n 1" "--m 33 --k 65 --n 17" "--n 128" "--n 200 --tile 32")
castor_kernel_test(monte_carlo_pi "--threads 500 --points 20" "--threads 1 --points 1" "--threads 10001 --points 30")
castor_kernel_test(multi_file "--n 1000" "--n 1" "--n 64" "--n 50001 --gain -3 --offset 9")
castor_kernel_test(named_barriers "--blocks 3 --rounds 4" "--blocks 1 --rounds 1" "--blocks 65 --rounds 20")
castor_kernel_test(nbody "--n 100 --steps 2" "--n 1" "--n 513 --steps 3")
castor_kernel_test(needleman_wunsch "--rows 50 --columns 70 --pairs 2" "--rows 1 --columns 1 --tile 1 --pairs 1"
                   "--rows 97 --columns 300 --tile 256 --pairs 3" "--rows 33 --columns 40 --tile 7 --penalty 0")
castor_kernel_test(nqueens "--n 7" "--n 1" "--n 2" "--n 3 --depth 2" "--n 10 --depth 3" "--n 6 --show 1")
castor_kernel_test(pathfinder "--columns 500 --rows 11" "--columns 1 --rows 1" "--columns 2 --rows 30 --together 100"
                   "--columns 3001 --rows 40 --together 7" "--columns 3001 --rows 15 --block 1024")
castor_kernel_test(prime_sieve "--limit 100000" "--limit 3" "--limit 100" "--limit 1000000 --block 333")
castor_kernel_test(producer_consumer "--stages 20 --items 3" "--stages 1 --items 1" "--stages 2000 --items 2")
castor_kernel_test(ray "--width 40 --height 20 --spheres 4" "--width 1 --height 1 --bounces 1"
                   "--width 83 --height 61 --spheres 15 --bounces 9")
castor_kernel_test(reduction "--n 5000" "--n 1" "--n 33 --block 1024" "--n 200003 --block 96")
castor_kernel_test(sad "--width 40 --height 20 --range 1" "--width 1 --height 1 --range 0"
                   "--width 33 --height 50 --range 5" "--width 33 --height 18 --range 4 --memory 1")
castor_kernel_test(scan "--n 3000" "--n 1" "--n 1024" "--n 1025" "--n 1100000")
castor_kernel_test(sha256 "--n 70 --longest 130" "--n 1" "--n 500 --longest 300")
castor_kernel_test(shapes "--n 300" "--n 1" "--n 5001")
castor_kernel_test(spin_lock "--n 200" "--n 1 --accounts 2 --blocks 1 --block 32"
                   "--n 2000 --accounts 2 --blocks 40 --block 256")
castor_kernel_test(spmv "--rows 500" "--rows 1" "--rows 10001 --columns 77 --mean 3" "--rows 100 --mean 0")
castor_kernel_test(srad "--width 40 --height 20" "--width 1 --height 1" "--width 97 --height 63 --steps 3 --blocks 5"
                   "--width 97 --height 63 --line 1")
castor_kernel_test(stencil "--width 50 --height 33" "--width 1 --height 1 --steps 3" "--width 257 --height 100 --steps 5")
castor_kernel_test(streams "--n 1000" "--n 1 --workers 1" "--n 10001 --workers 32")
castor_kernel_test(text_stats "--n 3000" "--n 1" "--n 31 --block 32" "--n 100003 --block 1024")
castor_kernel_test(transpose "--width 65 --height 31" "--width 1 --height 1" "--width 1 --height 300"
                   "--width 500 --height 333")
castor_kernel_test(vector_add "--n 1000" "--n 1" "--n 31 --block 1" "--n 300001 --block 100")
castor_kernel_test(walsh "--log2n 10 --block 128" "--log2n 1" "--log2n 12 --block 32" "--log2n 15 --block 1024 --taps 64")
castor_kernel_test(warp_primitives "--warps 5" "--warps 1 --block 32" "--warps 101 --block 160")

# Irregular programs. Flat, as all others; their other forms are compared with the flat one, on both machines.
# castor_forms_test(<name> [NO_LAUNCHES <arguments of one run>...] RUNS <arguments of one run>...)
function(castor_forms_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "NO_LAUNCHES;RUNS")
  set(no_launches)
  foreach(run IN LISTS arg_NO_LAUNCHES)
    list(APPEND no_launches --no-launches "${run}")
  endforeach()
  set(against)
  if(TARGET kernel_${name}_O0)
    set(against --against "${kernels}/${name}_O0")
  endif()
  castor_script_test(kernel_${name}_forms KIND platform ENVIRONMENT ${functional}
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_forms.py" "${kernels}/${name}"
            ${against} ${no_launches} ${arg_RUNS})
  castor_unless_matrix(first_run CASTOR_TEST_FIRST_RUN=1)
  castor_script_test(kernel_${name}_forms_timing KIND platform ENVIRONMENT ${first_run}
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_forms.py" "${kernels}/${name}"
            ${no_launches} ${arg_RUNS})
endfunction()

set(wheel "${PROJECT_SOURCE_DIR}/tests/data/graphs/wheel")

castor_kernel_test(dynamic_bfs "flat citation --nodes 300" "flat road --nodes 1"
                   "flat kronecker --nodes 200 --block 33 --source 7" "flat random --nodes 500 --count 0"
                   "flat kronecker --nodes 400 --together 1" "flat kronecker --nodes 300 --together 1 --block 33")
castor_forms_test(dynamic_bfs NO_LAUNCHES "road --nodes 2000" RUNS "citation --nodes 2000" "kronecker --nodes 1000 --child 64"
                  "random --nodes 500 --degree 40 --threshold 40" "kronecker --nodes 800 --together 1"
                  "${wheel}.mtx" "${wheel}.graph" "${wheel}.col")
castor_kernel_test(dynamic_sssp "flat citation --nodes 150" "flat road --nodes 1"
                   "flat kronecker --nodes 200 --block 33 --source 7" "flat random --nodes 100 --count 0")
castor_forms_test(dynamic_sssp NO_LAUNCHES "road --nodes 200" RUNS "citation --nodes 1000"
                  "kronecker --nodes 600 --child 128"
                  "${wheel}.gr" "${wheel}.mtx")
castor_kernel_test(dynamic_colouring "flat citation --nodes 150" "flat road --nodes 1"
                   "flat kronecker --nodes 200 --block 33" "flat random --nodes 100 --count 0")
castor_forms_test(dynamic_colouring NO_LAUNCHES "road --nodes 1000" RUNS "citation --nodes 1000"
                  "kronecker --nodes 600 --child 64"
                  "${wheel}.col" "${wheel}.gr")
castor_kernel_test(dynamic_join "flat gaussian --left 200 --right 2000 --keys 100"
                   "flat uniform --left 1 --right 1 --keys 1" "flat uniform --left 1 --right 1 --keys 1000000"
                   "flat uniform --left 1000 --right 5000 --count 0")
castor_forms_test(dynamic_join RUNS "gaussian --left 700" "uniform --left 500 --keys 700 --child 32")
castor_kernel_test(dynamic_regexp "flat packets --streams 2 --length 20 --width 16"
                   "flat strings --streams 1 --length 1 --width 1"
                   "flat strings --streams 3 --length 40 --block 33 --seed 4" "flat packets --streams 4 --count 0")
castor_forms_test(dynamic_regexp NO_LAUNCHES "packets --streams 4 --threshold 1000" RUNS "packets --streams 10"
                  "strings --streams 5 --length 100 --width 70 --child 64")
castor_kernel_test(dynamic_recommend "flat ratings --customers 20 --items 30 --mean 6"
                   "flat ratings --customers 1 --items 1" "flat ratings --customers 70 --block 33 --seed 3"
                   "flat ratings --customers 33 --count 0")
castor_forms_test(dynamic_recommend NO_LAUNCHES "ratings --items 2 --mean 1" RUNS "ratings --customers 100"
                  "ratings --customers 200 --items 60 --mean 12 --child 64")
castor_kernel_test(dynamic_amr "flat --base 4 --levels 1 --limit 300" "flat --base 1 --levels 0"
                   "flat --base 1 --levels 2 --flames 9 --limit 100" "flat --base 6 --count 0 --block 33 --seed 3")
castor_forms_test(dynamic_amr NO_LAUNCHES "--base 8 --flames 0" RUNS "--base 8 --limit 400"
                  "--base 8 --levels 1 --child 32 --limit 300" "--base 2 --levels 3 --limit 300")
castor_kernel_test(dynamic_barnes_hut "flat clusters --points 60" "flat uniform --points 1" "flat uniform --points 2"
                   "flat clusters --points 150 --block 33 --seed 5" "flat uniform --points 100 --count 0")
castor_forms_test(dynamic_barnes_hut NO_LAUNCHES "uniform --points 100 --threshold 1000" RUNS "clusters --points 400"
                  "uniform --points 700 --child 64")

# A sample of the programs runs with the sanitized runtime.
set(names_of_timing ${kernel_names})
set(kinds timing skips marks)
set(numbers 24 6 4)
foreach(what number IN ZIP_LISTS kinds numbers)
  castor_sample(names "${what} over sanitizers" ${number} ${names_of_${what}})
  list(TRANSFORM names REPLACE "(.+)" "kernel_\\1_${what}")
  castor_runs_over_sanitizers(${names})
endforeach()

# The way of a launch: that everything ran. What it measures is compared by experiment_cdp.
castor_script_test(kernel_dynamic_launch_path KIND platform ENVIRONMENT ${functional}
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_kernel.py" "${kernels}/dynamic_launch_path"
          "calls --lanes 5 --warps 3 --blocks 2" "calls --lanes 32 --pending 3" "groups --lanes 5 --warps 3 --blocks 2" "queues --streams 5 --ticks 10" "placement --ticks 10")

# Microbenchmarks: their results, on the machine without timing. What they measure is compared by experiment_fidelity.
foreach(name IN LISTS castor_microbenchmarks)
  castor_script_test(kernel_micro_${name} KIND platform ENVIRONMENT ${functional}
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_kernel.py" "${kernels}/micro_${name}" " ")
endforeach()

castor_script_test(kernel_arguments KIND platform
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_arguments.py" "${kernels}" ${kernel_names})

# castor_feature_test(<name>): tests/platform/programs/<name>.cu against <name>.txt, at -O0 or at -O2, on the timing GPU and
# on the functional machine. ${name}_programs: what was compiled.
function(castor_feature_test name)
  set(folder "${PROJECT_SOURCE_DIR}/tests/platform/programs")
  set(programs)
  castor_sample(levels ${name} 1 O0 O2)
  foreach(level IN LISTS levels)
    set(program "${PROJECT_BINARY_DIR}/tests/platform/programs/${name}_${level}")
    castor_cuda_program(program_${name}_${level} SOURCES "${folder}/${name}.cu" OPTIONS -${level} -std=c++17
                        LIBS castor_options)
    set_target_properties(program_${name}_${level} PROPERTIES
      OUTPUT_NAME ${name}_${level} RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/platform/programs")
    list(APPEND programs "${program}")
  endforeach()
  set(${name}_programs ${programs} PARENT_SCOPE)
  set(compare "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/compare_output.py" "${folder}/${name}.txt"
    ${programs})
  castor_script_test(program_${name} KIND platform COMMAND ${compare})
  castor_script_test(program_${name}_functional KIND platform ENVIRONMENT ${functional} COMMAND ${compare})
  # On the timing GPU only programs with launches by device code, and handles: they take a minute there.
  if(NOT name MATCHES "^(device_(launch|wait|group)|handles|processors)$")
    castor_runs_over_sanitizers(program_${name})
  endif()
  castor_runs_over_sanitizers(program_${name}_functional)
endfunction()

file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/tests/platform/programs")
foreach(name IN ITEMS
    assertion
    barriers
    control_flow
    conversions
    copies
    default_stream
    device_group
    device_heap
    device_launch
    device_launch_fault
    device_wait
    division_by_zero
    driver_modules
    error_names
    error_state
    handles
    host_time
    host_threads
    launch_by_address
    managed_list
    misaligned
    names
    null_access
    out_of_bounds
    outside_reads
    parameters
    printf_formats
    processors
    real_edges
    recursion
    rounding_modes
    shared_out_of_window
    shared_scalar
    shifts
    special_registers
    static_objects
    sticky_error
    stopped_calls
    stuck_barrier
    symbols
    templates
    trap
    use_after_free
    vector_types)
  castor_feature_test(${name})
endforeach()

# A machine with more SMs than a word has bits, and the largest machine.
foreach(sms IN ITEMS 132 256)
  castor_script_test(program_processors_${sms} KIND platform ENVIRONMENT "CASTOR_PLATFORM=kepler_k20c"
    COMMAND "${CMAKE_COMMAND}" -E env "CASTOR_SET=chip.sms=${sms}"
            "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/compare_output.py"
            "${PROJECT_SOURCE_DIR}/tests/platform/programs/processors.txt" ${processors_programs})
endforeach()

# Groups of device code once more: attached to kernels by the block, and with a table that is too small for them.
foreach(setting IN ITEMS block small)
  set(keys "blocks.dtbl.enable=1")
  if(setting STREQUAL "small")
    string(APPEND keys "$<SEMICOLON>blocks.dtbl.agt_size=4$<SEMICOLON>blocks.dtbl.hash_mode=1")
  endif()
  castor_script_test(program_device_group_${setting} KIND platform
    ENVIRONMENT "CASTOR_PLATFORM=kepler_k20c"
    COMMAND "${CMAKE_COMMAND}" -E env "CASTOR_SET=${keys}"
            "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/compare_output.py"
            "${PROJECT_SOURCE_DIR}/tests/platform/programs/device_group.txt" ${device_group_programs})
endforeach()

