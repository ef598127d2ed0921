// Register port: configuration, status, interrupts, counters, and access to the tables (docs/blocks/lax.md,
// "Registers"). An access is answered in the next cycle, but an access to a table waits until the main machine is idle.
module castor_lax_registers #(
  parameter int unsigned NumQueues  = 128,
  parameter int unsigned MaxKt      = 8,
  parameter int unsigned NumKt      = 64,
  parameter int unsigned SelWidth   = 16,
  parameter int unsigned ParseLanes = 4,
  localparam int unsigned QidWidth      = $clog2(NumQueues),
  localparam int unsigned KidWidth      = (NumKt > 1) ? $clog2(NumKt) : 1,
  localparam int unsigned SlotWidth     = KidWidth + 24,
  localparam int unsigned ListWidth     = MaxKt * SlotWidth + 5,
  localparam int unsigned InflightWidth = QidWidth + 1
) (
  input  logic        clk_i,   // clock
  input  logic        rst_ni,  // synchronous reset, active low
  input  logic [47:0] now_i,   // GPU cycle counter

  input  logic        reg_req_i,    // register access; held until reg_ack
  input  logic        reg_we_i,     // 1: write, 0: read
  input  logic [15:0] reg_addr_i,   // byte address of the register
  input  logic [31:0] reg_wdata_i,  // data of a write
  output logic        reg_ack_o,    // the register access ends
  output logic [1:0]  reg_err_o,    // 0 good, 1 address error, 2 refused
  output logic [31:0] reg_rdata_o,  // data of a read
  output logic        irq_o,        // an enabled interrupt is pending

  output castor_lax_pkg::config_t config_o,    // configuration registers
  output logic                    soft_rst_o,  // software resets the engine at this edge

  // Errors, interrupts and counter increments of this cycle.
  input  logic [castor_lax_pkg::NumErrors-1:0]   err_i,     // errors, bits of ERR_STAT
  input  logic [castor_lax_pkg::NumIrqs-1:0]     irq_i,     // interrupts, bits of IRQ_STAT
  input  logic [castor_lax_pkg::NumCounters-1:0] count_i,   // counters N_* that are incremented
  input  logic [23:0]                            useful_i,  // increment of the counter of useful thread blocks

  // Inputs of the status register.
  input  castor_lax_pkg::main_e  f_i,         // state of the main machine
  input  castor_lax_pkg::phase_e ph_i,        // reason for the main machine's visits of queues
  input  logic                   upd_busy_i,  // a periodic update is running
  input  logic [39:0]            tot_i,       // work ahead in the admission pass, cycles
  input  logic [NumQueues-1:0]   st0_i,       // job state of every queue, bit 0
  input  logic [NumQueues-1:0]   st1_i,       // job state of every queue, bit 1
  input  logic [NumQueues-1:0]   st2_i,       // job state of every queue, bit 2

  // Heads of the queues of verdicts and of finished jobs.
  input  logic                verdict_empty_i,   // no verdict is available
  input  logic [QidWidth-1:0] verdict_qid_i,     // queue of the oldest verdict
  input  logic                verdict_accept_i,  // oldest verdict: 1 accepted
  input  logic [2:0]          verdict_reason_i,  // reason code of the oldest verdict
  input  logic                adm_ready_i,       // the oldest verdict leaves through the port adm
  output logic                verdict_pop_o,     // software reads the oldest verdict, which removes it
  input  logic                done_empty_i,      // no finished job is queued
  input  logic [QidWidth-1:0] done_qid_i,        // queue of the oldest finished job
  input  logic                done_met_i,        // the oldest finished job met its deadline
  output logic                done_pop_o,        // software reads the oldest finished job, which removes it

  // Tables. They are read and written at qid_o and kid_o while tab_o is 1.
  output logic                     tab_o,         // a register access uses the tables in this cycle
  output logic [QidWidth-1:0]      qid_o,         // queue number in the register address
  output logic [KidWidth-1:0]      kid_o,         // kernel type in the register address
  input  logic [ListWidth-1:0]     list_i,        // kernel types and TBs left of the job; number of slots on top
  input  logic [47:0]              start_i,       // start of the job
  input  logic [31:0]              deadline_i,    // deadline of the job, all ones: none
  input  castor_lax_pkg::rec_t     rec_i,         // remaining time, duration and laxity of the job's last visit
  input  castor_lax_pkg::key_t     key_i,         // selection key of the job
  input  logic [15:0]              seq_i,         // arrival number of the job
  input  logic [31:0]              qprio_i,       // priority of the queue written by software
  input  logic                     valid_i,       // the kernel type has a rate
  input  logic                     snv_i,         // the kernel type has a snapshot
  input  logic [31:0]              tpw_i,         // rate of the kernel type: cycles per TB, 8 fraction bits
  input  logic [31:0]              tpw_iso_i,     // isolated rate: cycles per TB, 8 fraction bits
  input  castor_lax_pkg::snap_t    snap_i,        // snapshot: counters of the last refresh
  input  logic [23:0]              cnt_i,         // completions in the open window
  input  logic [InflightWidth-1:0] inflight_i,    // instances of the kernel type in flight
  output logic                     qprio_we_o,    // reg_wdata_i becomes the priority of qid_o
  output logic                     ack_o,         // the host acknowledges the ended job of qid_o
  output logic                     tpw_iso_we_o,  // reg_wdata_i becomes the isolated rate of kid_o
  output logic                     tpw_we_o,      // reg_wdata_i becomes the rate of kid_o
  output logic                     clear_o        // clears the profiling entry of kid_o
);
  localparam logic [1:0] ErrAddress = 2'd1;
  localparam logic [1:0] ErrRefused = 2'd2;

  localparam castor_lax_pkg::config_t ConfigReset = {
    1'b0, 1'b0, 3'd3, 3'd0, 1'b0, 1'b0, 2'd0, 1'b1, 2'd1, 2'd1, 4'd8, 1'b0, 1'b1, 1'b0,
    24'd150000, 16'd3000, 8'd1, 24'd375000, 16'd64, 4'd1
  };

  castor_lax_pkg::config_t                config_q, config_d;  // configuration; a soft reset keeps it
  logic [castor_lax_pkg::NumIrqs-1:0]     irq_stat_q, irq_stat_d, irq_en_q, irq_en_d, irq_clear, irq_set;
  logic [castor_lax_pkg::NumErrors-1:0]   err_stat_q, err_stat_d, err_clear, err_set;  // errors since they were cleared
  logic [15:0]                            now_high_q, now_high_d;  // now[47:32] latched by a read of now[31:0]
  logic [castor_lax_pkg::NumCounters*32-1:0] counters;

  assign config_o = config_q;

  // ---------------------------------------------------------------------------------------------------------------
  // Decoding of the address: region of the register map, queue, kernel type, word.
  logic        access, low, in_qprio, in_qstate, in_tpw_iso, in_kpt, in_job, queue_exists, kid_exists;
  logic [7:0]  qid, kid;
  logic [4:0]  job_word;
  logic [2:0]  kpt_word;
  logic [2:0]  st;
  logic        live, free, ended;

  assign low        = (reg_addr_i[15:10] == 6'b00_0000);
  assign in_qprio   = (reg_addr_i[15:10] == 6'b00_0001);
  assign in_qstate  = (reg_addr_i[15:10] == 6'b00_0010);
  assign in_tpw_iso = (reg_addr_i[15:10] == 6'b00_0011);
  assign in_kpt     = (reg_addr_i[15:13] == 3'b010);
  assign in_job     = reg_addr_i[15];
  assign qid        = in_job ? reg_addr_i[14:7] : reg_addr_i[9:2];
  assign kid        = in_kpt ? reg_addr_i[12:5] : reg_addr_i[9:2];
  assign job_word   = reg_addr_i[6:2];
  assign kpt_word   = reg_addr_i[4:2];

  assign access       = reg_req_i && !reg_ack_o && (low || f_i == castor_lax_pkg::Idle);
  assign tab_o        = access && !low;
  assign qid_o        = qid[QidWidth-1:0];
  assign kid_o        = kid[KidWidth-1:0];
  assign queue_exists = ({24'b0, qid} < NumQueues);
  assign kid_exists   = ({24'b0, kid} < NumKt);
  assign st           = {st2_i[qid_o], st1_i[qid_o], st0_i[qid_o]};
  assign live         = !st[2] && st[1];
  assign free         = (st == castor_lax_pkg::StFree);
  assign ended        = (st == castor_lax_pkg::StDone) || (st == castor_lax_pkg::StRejected);

  // ---------------------------------------------------------------------------------------------------------------
  // Status word.
  logic [8:0]  busy_queues, running_queues;
  logic [31:0] status;

  always_comb begin
    busy_queues    = '0;
    running_queues = '0;
    status         = '0;
    if (access && reg_addr_i == 16'h000C) begin
      busy_queues    = 9'($countones(st0_i | st1_i | st2_i));
      running_queues = 9'($countones(~st2_i & st1_i & st0_i));
      status[0]      = upd_busy_i;
      status[1]      = (f_i == castor_lax_pkg::ANext) ||
                       ((f_i == castor_lax_pkg::VOpen || f_i == castor_lax_pkg::VMac || f_i == castor_lax_pkg::VAcc ||
                         f_i == castor_lax_pkg::VKey || f_i == castor_lax_pkg::VDiv || f_i == castor_lax_pkg::VTok) &&
                        ph_i != castor_lax_pkg::PhUpd);
      status[2]      = (f_i == castor_lax_pkg::R1) || (f_i == castor_lax_pkg::R2) || (f_i == castor_lax_pkg::R3);
      status[15:8]   = busy_queues[8] ? '1 : busy_queues[7:0];
      status[23:16]  = running_queues[8] ? '1 : running_queues[7:0];
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Slots of a job's work list, in the format of the registers.
  logic [31:0] slot;
  logic        slot_exists;

  always_comb begin
    slot        = '0;
    slot_exists = 1'b0;
    if (tab_o && in_job && job_word[4]) begin
      for (int unsigned s = 0; s < MaxKt; s++) begin
        if (4'(s) == job_word[3:0]) begin
          slot_exists = 1'b1;
          if (!free && 5'(s) < list_i[ListWidth-1 -: 5]) begin
            slot = {8'(list_i[s*SlotWidth+24 +: KidWidth]), list_i[s*SlotWidth +: 24]};
          end
        end
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Access: mapped: the word exists; writable: it can be written; legal: the written value is legal; rdata: data read.
  logic        mapped, writable, legal, good, good_write, order_error;
  logic [31:0] rdata;

  always_comb begin
    mapped      = 1'b1;
    writable    = 1'b0;
    legal       = 1'b1;
    order_error = 1'b0;
    rdata       = '0;
    if (!access) begin
      mapped = 1'b0;
    end else if (low) begin
      case (reg_addr_i[9:0])
        10'h000: rdata = 32'h4C41_5801;
        10'h004: rdata = {5'($clog2(SelWidth)), 4'(ParseLanes), 9'(NumKt), 5'(MaxKt), 9'(NumQueues)};
        10'h008: begin
          writable = 1'b1;
          legal    = (reg_wdata_i[7:4] <= castor_lax_pkg::PolicyExt) && (reg_wdata_i[11:10] != 2'd3) &&
                     (reg_wdata_i[14:13] != 2'd3) && (reg_wdata_i[19:17] <= 3'd4) && (reg_wdata_i[22:20] != 3'd0);
          rdata    = {7'b0, config_q.preparse, config_q.inspect_mode, config_q.leak, config_q.ewma_shift,
                      config_q.drop_expired, config_q.bypass_en, config_q.init_prio, config_q.prio_class_en,
                      config_q.warm_policy, config_q.rate_mode, config_q.policy, config_q.freeze, 1'b0,
                      config_q.admit_en, config_q.enable};
        end
        10'h00C: rdata = status;
        10'h010: begin
          writable = 1'b1;
          legal    = (reg_wdata_i >= castor_lax_pkg::LeastPeriod) && (reg_wdata_i[31:24] == '0);
          rdata    = {8'b0, config_q.upd_period};
        end
        10'h014: begin
          writable = 1'b1;
          legal    = (reg_wdata_i[31:16] == '0);
          rdata    = {16'b0, config_q.parse_lat};
        end
        10'h018: begin
          writable = 1'b1;
          legal    = (reg_wdata_i != '0) && (reg_wdata_i[31:8] == '0);
          rdata    = {24'b0, config_q.min_wg};
        end
        10'h01C: begin
          writable = 1'b1;
          legal    = (reg_wdata_i >= castor_lax_pkg::LeastPeriod) && (reg_wdata_i[31:24] == '0);
          rdata    = {8'b0, config_q.prema_period};
        end
        10'h020: begin
          writable = 1'b1;
          rdata    = {25'b0, irq_stat_q};
        end
        10'h024: begin
          writable = 1'b1;
          rdata    = {25'b0, irq_en_q};
        end
        10'h028: begin
          writable = 1'b1;
          rdata    = {22'b0, err_stat_q};
        end
        10'h02C: begin
          writable = 1'b1;
          legal    = (reg_wdata_i != '0) && (reg_wdata_i[31:16] == '0);
          rdata    = {16'b0, config_q.ckpt_bw};
        end
        10'h030: rdata = now_i[31:0];
        10'h034: rdata = {16'b0, now_high_q};
        10'h038: rdata = tot_i[31:0];
        10'h03C: rdata = {24'b0, tot_i[39:32]};
        10'h040, 10'h044, 10'h048, 10'h04C, 10'h050, 10'h054,
        10'h058, 10'h05C, 10'h060, 10'h064, 10'h068, 10'h06C: begin
          for (int unsigned c = 0; c < castor_lax_pkg::NumCounters; c++) begin
            if (reg_addr_i[7:2] == 6'(16 + c)) begin
              rdata = counters[c*32 +: 32];
            end
          end
        end
        10'h070: begin
          writable = 1'b1;
          legal    = (reg_wdata_i == 32'd1) || (reg_wdata_i == 32'd3) || (reg_wdata_i == 32'd9);
          rdata    = {28'b0, config_q.prema_p};
        end
        10'h080: begin
          if (!verdict_empty_i && !adm_ready_i) begin
            rdata = {1'b1, 19'b0, verdict_reason_i, verdict_accept_i, 8'(verdict_qid_i)};
          end
        end
        10'h084: begin
          if (!done_empty_i) begin
            rdata = {1'b1, 22'b0, done_met_i, 8'(done_qid_i)};
          end
        end
        default: mapped = 1'b0;
      endcase
    end else if (in_qprio) begin
      mapped   = queue_exists;
      writable = 1'b1;
      rdata    = qprio_i;
    end else if (in_qstate) begin
      mapped   = queue_exists;
      writable = 1'b1;
      legal    = reg_wdata_i[31] && ended;
      rdata    = {27'b0, live ? key_i.class_ : 2'd0, st};
    end else if (in_tpw_iso) begin
      mapped   = kid_exists;
      writable = 1'b1;
      rdata    = tpw_iso_i;
    end else if (in_kpt) begin
      mapped = kid_exists && (kpt_word != 3'd7);
      case (kpt_word)
        3'd0: begin
          writable = 1'b1;
          rdata    = valid_i ? tpw_i : '0;
        end
        3'd1: rdata = {8'b0, cnt_i};
        3'd2: rdata = snv_i ? snap_i.cnt : '0;
        3'd3: rdata = snv_i ? snap_i.act : '0;
        3'd4: rdata = snv_i ? snap_i.ins : '0;
        3'd5: rdata = snv_i ? snap_i.wal : '0;
        3'd6: begin
          writable    = 1'b1;
          legal       = reg_wdata_i[30] && (inflight_i == '0);
          order_error = reg_wdata_i[30] && (inflight_i != '0);
          rdata       = {inflight_i != '0, valid_i, 30'(inflight_i)};
        end
        default: rdata = '0;
      endcase
    end else if (in_job) begin
      mapped = queue_exists && (job_word[4] ? slot_exists : (job_word[3] == 1'b0));
      if (job_word[4]) begin
        rdata = slot;
      end else if (!free) begin
        case (job_word[2:0])
          3'd0:    rdata = deadline_i;
          3'd1:    rdata = start_i[31:0];
          3'd2:    rdata = {16'b0, start_i[47:32]};
          3'd3:    rdata = (st == castor_lax_pkg::StInit) ? '0 : rec_i.rem;
          3'd4:    rdata = (st == castor_lax_pkg::StInit) ? '0 : rec_i.dur;
          3'd5:    rdata = (st == castor_lax_pkg::StInit) ? '0 : rec_i.lax;
          3'd6:    rdata = live ? key_i.value[31:0] : '0;
          default: rdata = {11'b0, list_i[ListWidth-1 -: 5], seq_i};
        endcase
      end
    end else begin
      mapped = 1'b0;
    end
    if (reg_addr_i[1:0] != 2'b00) begin
      mapped = 1'b0;
    end
  end

  assign good       = access && mapped && (!reg_we_i || (writable && legal));
  assign good_write = good && reg_we_i;

  assign soft_rst_o    = good_write && low && (reg_addr_i[9:0] == 10'h008) && reg_wdata_i[2];
  assign verdict_pop_o = good && (reg_addr_i == 16'h0080) && !verdict_empty_i && !adm_ready_i;
  assign done_pop_o    = good && (reg_addr_i == 16'h0084) && !done_empty_i;
  assign qprio_we_o    = good_write && in_qprio;
  assign ack_o         = good_write && in_qstate;
  assign tpw_iso_we_o  = good_write && in_tpw_iso;
  assign tpw_we_o      = good_write && in_kpt && (kpt_word == 3'd0);
  assign clear_o       = good_write && in_kpt && (kpt_word == 3'd6);

  // ---------------------------------------------------------------------------------------------------------------
  // Effects on the registers of this module. A status bit that is set and cleared in the same cycle is set.
  always_comb begin
    config_d   = config_q;
    irq_en_d   = irq_en_q;
    irq_clear  = '0;
    err_clear  = '0;
    now_high_d = now_high_q;
    if (good_write && low) begin
      case (reg_addr_i[9:0])
        10'h008: begin
          config_d.enable        = reg_wdata_i[0];
          config_d.admit_en      = reg_wdata_i[1];
          config_d.freeze        = reg_wdata_i[3];
          config_d.policy        = reg_wdata_i[7:4];
          config_d.rate_mode     = reg_wdata_i[9:8];
          config_d.warm_policy   = reg_wdata_i[11:10];
          config_d.prio_class_en = reg_wdata_i[12];
          config_d.init_prio     = reg_wdata_i[14:13];
          config_d.bypass_en     = reg_wdata_i[15];
          config_d.drop_expired  = reg_wdata_i[16];
          config_d.ewma_shift    = reg_wdata_i[19:17];
          config_d.leak          = reg_wdata_i[22:20];
          config_d.inspect_mode  = reg_wdata_i[23];
          config_d.preparse      = reg_wdata_i[24];
        end
        10'h010: config_d.upd_period   = reg_wdata_i[23:0];
        10'h014: config_d.parse_lat    = reg_wdata_i[15:0];
        10'h018: config_d.min_wg       = reg_wdata_i[7:0];
        10'h01C: config_d.prema_period = reg_wdata_i[23:0];
        10'h020: irq_clear             = reg_wdata_i[castor_lax_pkg::NumIrqs-1:0];
        10'h024: irq_en_d              = reg_wdata_i[castor_lax_pkg::NumIrqs-1:0];
        10'h028: err_clear             = reg_wdata_i[castor_lax_pkg::NumErrors-1:0];
        10'h02C: config_d.ckpt_bw      = reg_wdata_i[15:0];
        10'h070: config_d.prema_p      = reg_wdata_i[3:0];
        default: config_d              = config_q;
      endcase
    end
    if (good && !reg_we_i && reg_addr_i == 16'h0030) begin
      now_high_d = now_i[47:32];
    end
    if (soft_rst_o) begin
      now_high_d = '0;
    end
  end

  always_comb begin
    err_set = err_i;
    if (access && mapped && reg_we_i) begin
      if (!writable) begin
        err_set[castor_lax_pkg::ERo] = 1'b1;
      end
      if (order_error) begin
        err_set[castor_lax_pkg::EOrder] = 1'b1;
      end
    end
    irq_set = irq_i;
    if (err_set != '0) begin
      irq_set[castor_lax_pkg::IrqError] = 1'b1;
    end
    err_stat_d = (err_stat_q & ~err_clear) | err_set;
    irq_stat_d = (irq_stat_q & ~irq_clear) | irq_set;
    if (soft_rst_o) begin
      err_stat_d = '0;
      irq_stat_d = '0;
    end
  end

  assign irq_o = ((irq_stat_q & irq_en_q) != '0);

  // ---------------------------------------------------------------------------------------------------------------
  // Counters N_*. They saturate.
  for (genvar c = 0; c < castor_lax_pkg::NumCounters; c++) begin : gen_counter
    logic [31:0] count_q, count_d;
    logic [32:0] sum;

    assign sum     = {1'b0, count_q} + {9'b0, (c == castor_lax_pkg::NWgUseful) ? useful_i : 24'd1};
    assign count_d = soft_rst_o ? '0 : (count_i[c] ? (sum[32] ? '1 : sum[31:0]) : count_q);
    assign counters[c*32 +: 32] = count_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        count_q <= '0;
      end else begin
        count_q <= count_d;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Response to the access, one cycle later.
  logic        ack_q, ack_d;
  logic [1:0]  err_q, err_d;
  logic [31:0] rdata_q, rdata_d;

  assign ack_d       = access;
  assign err_d       = (!access || good) ? 2'd0 : (mapped ? ErrRefused : ErrAddress);
  assign rdata_d     = (good && !reg_we_i) ? rdata : '0;
  assign reg_ack_o   = ack_q;
  assign reg_err_o   = err_q;
  assign reg_rdata_o = rdata_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      config_q   <= ConfigReset;
      irq_stat_q <= '0;
      irq_en_q   <= '0;
      err_stat_q <= '0;
      now_high_q <= '0;
      ack_q      <= 1'b0;
      err_q      <= '0;
      rdata_q    <= '0;
    end else begin
      config_q   <= config_d;
      irq_stat_q <= irq_stat_d;
      irq_en_q   <= irq_en_d;
      err_stat_q <= err_stat_d;
      now_high_q <= now_high_d;
      ack_q      <= ack_d;
      err_q      <= err_d;
      rdata_q    <= rdata_d;
    end
  end
endmodule
