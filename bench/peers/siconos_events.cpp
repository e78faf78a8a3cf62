/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Systems of bench/events.lua by Siconos' kernel:
**
**     siconos_events SCENE N SCHEME DT SECONDS  ->  seconds, steps, the first coordinate at the end
**
** SCENE is balls (N of them, e = 0.7) or woodpecker (N is not read); SCHEME is event-driven (LsodarOSI; balls
** alone: there is no friction) or time-stepping (MoreauJeanOSI, theta = 1/2).
** Debian: libsiconos-kernel-dev. c++ -O2 -I/usr/include/siconos -I/usr/include/siconos/kernel
** -I/usr/include/siconos/numerics siconos_events.cpp -lsiconos_kernel -lsiconos_numerics */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include <SiconosKernel.hpp>

static double now() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

typedef struct scene {
  SP::NonSmoothDynamicalSystem nsds;
  SP::LagrangianDS ds;
  std::vector<SP::Interaction> contacts;
  bool friction;
} scene;

static void add(scene &s, SP::NonSmoothLaw law, SP::SimpleMatrix H, SP::SiconosVector b) {
  SP::LagrangianLinearTIR relation(new LagrangianLinearTIR(H, b));
  SP::Interaction contact(new Interaction(law, relation));
  s.nsds->link(contact, s.ds);
  s.contacts.push_back(contact);
}

static scene balls(unsigned n, double seconds) {
  scene s;
  SP::SiconosVector q(new SiconosVector(n)), v(new SiconosVector(n)), weight(new SiconosVector(n));
  SP::SimpleMatrix M(new SimpleMatrix(n, n));
  M->eye();
  for (unsigned i = 0; i < n; i++) {
    (*q)(i) = 0.5 + 0.5 * (i + 1) / n;
    (*weight)(i) = -9.81;
  }
  SP::LagrangianLinearTIDS ds(new LagrangianLinearTIDS(q, v, M));
  ds->setFExtPtr(weight);
  s.ds = ds, s.friction = false;
  s.nsds.reset(new NonSmoothDynamicalSystem(0, seconds));
  s.nsds->insertDynamicalSystem(ds);
  for (unsigned i = 0; i < n; i++) {
    SP::SimpleMatrix H(new SimpleMatrix(1, n));
    (*H)(0, i) = 1;
    add(s, SP::NonSmoothLaw(new NewtonImpactNSL(0.7)), H, SP::SiconosVector(new SiconosVector(1)));
  }
  return s;
}

static scene woodpecker(double seconds) {
  const double m_M = 3e-4, J_M = 5e-9, m_S = 4.5e-3, J_S = 7e-7, c = 5.6e-3, r_0 = 2.5e-3, r_M = 3.1e-3, h_M = 5.8e-3;
  const double l_M = 0.010, l_G = 0.015, h_S = 0.02, l_S = 0.0201, g = 9.81;
  scene s;
  SP::SiconosVector q(new SiconosVector(3)), v(new SiconosVector(3)), weight(new SiconosVector(3));
  (*q)(1) = -0.1036, (*q)(2) = -0.2788;
  (*v)(0) = -0.3411, (*v)(2) = -7.4583;
  SP::SimpleMatrix M(new SimpleMatrix(3, 3)), K(new SimpleMatrix(3, 3)), C(new SimpleMatrix(3, 3));
  const double mass[3][3] = {{m_S + m_M, m_S * l_M, m_S * l_G},
                             {m_S * l_M, J_M + m_S * l_M * l_M, m_S * l_M * l_G},
                             {m_S * l_G, m_S * l_M * l_G, J_S + m_S * l_G * l_G}};
  for (unsigned i = 0; i < 3; i++)
    for (unsigned j = 0; j < 3; j++) (*M)(i, j) = mass[i][j];
  (*K)(1, 1) = (*K)(2, 2) = c, (*K)(1, 2) = (*K)(2, 1) = -c;
  (*weight)(0) = -(m_S + m_M) * g, (*weight)(1) = -m_S * g * l_M, (*weight)(2) = -m_S * g * l_G;
  SP::LagrangianLinearTIDS ds(new LagrangianLinearTIDS(q, v, M, K, C));
  ds->setFExtPtr(weight);
  s.ds = ds, s.friction = true;
  s.nsds.reset(new NonSmoothDynamicalSystem(0, seconds));
  s.nsds->insertDynamicalSystem(ds);
  const double row[3][2][3] = {{{0, 0, -h_S}, {1, l_M, l_G - l_S}}, {{0, h_M, 0}, {1, r_M, 0}}, {{0, -h_M, 0}, {1, r_M, 0}}};
  const double gap[3] = {l_M + l_G - l_S - r_0, r_M - r_0, r_M - r_0}, e[3] = {0.5, 0, 0};
  for (int i = 0; i < 3; i++) {
    SP::SimpleMatrix H(new SimpleMatrix(2, 3));
    SP::SiconosVector b(new SiconosVector(2));
    for (unsigned k = 0; k < 2; k++)
      for (unsigned j = 0; j < 3; j++) (*H)(k, j) = row[i][k][j];
    (*b)(0) = gap[i];
    add(s, SP::NonSmoothLaw(new NewtonImpactFrictionNSL(e[i], 0, 0.3, 2)), H, b);
  }
  return s;
}

static int run_events(scene &s, double dt) {
  SP::TimeDiscretisation t(new TimeDiscretisation(0, dt));
  SP::EventDriven scheme(new EventDriven(s.nsds, t));
  scheme->insertIntegrator(SP::OneStepIntegrator(new LsodarOSI()));
  scheme->insertNonSmoothProblem(SP::OneStepNSProblem(new LCP()), SICONOS_OSNSP_ED_IMPACT);
  scheme->insertNonSmoothProblem(SP::OneStepNSProblem(new LCP()), SICONOS_OSNSP_ED_SMOOTH_ACC);
  int steps = 0;
  while (scheme->hasNextEvent()) {
    scheme->advanceToEvent();
    scheme->processEvents();
    steps++;
  }
  return steps;
}

static int run_steps(scene &s, double dt) {
  SP::TimeDiscretisation t(new TimeDiscretisation(0, dt));
  SP::OneStepIntegrator integrator(new MoreauJeanOSI(0.5));
  SP::OneStepNSProblem problem;
  if (s.friction) problem.reset(new FrictionContact(2));
  else problem.reset(new LCP());
  SP::TimeStepping scheme(new TimeStepping(s.nsds, t, integrator, problem));
  int steps = 0;
  while (scheme->hasNextEvent()) {
    scheme->computeOneStep();
    scheme->nextStep();
    steps++;
  }
  return steps;
}

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  const double dt = atof(argv[4]), seconds = atof(argv[5]);
  scene s = strcmp(argv[1], "woodpecker") == 0 ? woodpecker(seconds) : balls(unsigned(atoi(argv[2])), seconds);
  const double from = now();
  const int steps = strcmp(argv[3], "event-driven") == 0 ? run_events(s, dt) : run_steps(s, dt);
  printf("%.6f %d %.17g\n", now() - from, steps, (*s.ds->q())(0));
  return 0;
}
