"""Every numeric tolerance of the tests, each with its reason."""

# Two exact formulas in double precision, relative to the largest entry.
EXACT = 1e-12
# The same after sums over thirty bodies and products of ill-scaled numbers.
RECURSION = 1e-10
# Fourth-order finite differences with step 1e-4 of smooth functions: truncation
# about 1e-12 and rounding 1e-16 / 1e-4, relative to the largest entry.
FINITE_DIFFERENCE = 2e-8
# Left and right of Atlas: its source writes half turns as 3.141592 rad [m].
MIRROR = 5e-7
# Height of a sole's corners in a named posture, whose angles have three digits: a
# milliradian on half a sole and a leg [m].
POSTURE = 1e-3
# Restitution of a fall onto the floor: what of the speed comes back from a material
# meant not to bounce [-].
BOUNCE = 0.12
# The same fall on SAP (relaxation time) and on Hunt and Crossley's model: their laws
# differ, and a matched pair stays this close from 0.5 to 2 m/s [-].
RESTITUTION_MATCH = 0.12
# A drop on Drake's contact models against the law that materials are matched by, which
# has no weight and meets the head at four phases of a step of its own [-].
RESTITUTION = 0.03
# Resting contact creeps because friction is regularized; the lagged and similar
# models do so at 1.1e-5 m/s under 175 kg on five degrees [m/s].
CREEP = 2e-5
# Drake's error-controlled integrator at accuracy 1e-8, over half a second [m, m/s].
INTEGRATION = 1e-6
# Whole-body ticks eliminate limbs with an inverse that is damped by 1e-7, which tells
# in the fifth digit of accelerations and torques, relative to the largest entry.
ELIMINATION = 4e-4
# Residuals of a QP that a dense active-set method has solved to the last digits,
# scaled by the sizes in it, which reach a thousand.
QP_RESIDUAL = 1e-5
# The predictive program ends within 1e-8 of its least objective; its deviations
# [m, rad] and wrenches [weights] are then within 2e-4 of the exact optimum.
PREDICTION = 5e-4
# Signed distances between primitives, ours and those of Drake's engine [m].
DRAKE_DISTANCE = 1e-9
# One-sided differences with step 1e-6 of a distance: its curvature, at most some
# 1 / (5 mm), times the lever of an arm squared.
ONE_SIDED = 5e-4
# Logarithms of rotations up to 1e-4 rad from half a turn [rad].
ROTATION = 1e-9
# And at half a turn, where the axis comes from square roots of rounded numbers [rad].
HALF_TURN = 1e-7
# Distance of a unit wrench from what corner forces can make, by nonnegative least
# squares [relative].
CONE = 1e-9
# What a linear prediction over 1.3 s may miss of a deviation of millimeters; it falls
# in proportion to the deviation [-].
SECOND_ORDER = 0.1
# A robot that follows its behavior in closed loop is off by under a millimeter at
# pelvis and trunk; one that has lost it is soon off by decimeters [m].
FOLLOWED = 5e-3
# The ground carries the weight and what accelerates the body, which in a crouch is
# held still but for the sampling of one instant [relative].
CARRIED_WEIGHT = 0.02
# A posture and what belongs to it are interpolated each for itself between samples 5 ms
# apart; the trunk turns on at the speed of the sample before [m, rad].
INTERPOLATION = 1e-4
# Turning one end of a step turns its middle by half of it, but for the product of
# the angle between the ends (some 0.1 rad at test points) and a lever [m/rad].
SWEEP_ROTATION = 0.02
# A Newton step from a dense system of finite differences: their error times the
# condition of the matrix, relative to the largest entry.
NEWTON_STEP = 1e-6
# Energy of a closed loop against the work of its logged forces, sampled every 5 ms
# while commands change every 2 ms; share of the energy that moves [-].
ENERGY_BALANCE = 5e-3
# Logged contact forces against differences of momentum over 10 ms [weights].
FORCE_BALANCE = 2e-3
# Scaled violation at knots that the solver accepts.
KNOT = 1e-6
# Gradient of the Lagrangian relative to that of the cost: without the polish the
# interior point's own barrier is what is left, and with it heavily damped last
# steps, which stop within a percent of the least cost.
STATIONARY = 1e-4
STATIONARY_POLISHED = 1e-2
SAME_COST = 0.02
# Room of a bound that may have a multiplier at the last barrier, 1e-5 [scaled].
NEARLY_ACTIVE = 1e-3
# Knots of two solves of one problem from different starts [rad or m].
SAME_MOTION = 0.02
# The base of the dense motion at knots, which only normalized quaternions change
# [m, m/s, m/s^2].
ON_KNOTS = 1e-6
# A stick's tip at the knot of its hit, and a center of mass on its parabola [m].
ON_THE_BEAT = 1e-5
# Place [m or rad], velocity and acceleration of a standing contact in the dense motion.
CONTACT = 1e-7
# Momentum in flight against what gravity makes of it [weights s, weights m s].
FLIGHT = 1e-5
# Differences of momentum over 5 ms against wrenches [weights, weights m].
MOMENTUM_RATE = 1e-3
# The trapezoidal rule over 5 ms: jerk, some 1000 rad/s^3, times the square of the
# step over twelve [rad/s].
TRAPEZOID_SPEED = 5e-3
# Constraint violation and gradient of the Lagrangian, relative to the linear cost,
# that DAQP leaves on programs with condition numbers up to some thousands.
QP_PRIMAL = 1e-6
QP_DUAL = 1e-6
# What inverse kinematics calls reached [m or rad].
REACHED = 1e-4
# One motion at two places of the world: both solves stop at violations of 1e-6.
SAME_PLACE = 1e-4
# Jump of a sole's load as arms start to move with a jerk [weights].
JERK = 0.03
# Price of a bound times the room to it: the last barrier, and the highest at which
# the polish may begin.
COMPLEMENTARY = 1e-6
COMPLEMENTARY_POLISHED = 1e-3
# Forces of a plan against what it asked for: violations of 1e-6 weights, some 2 mN,
# and the corrections between knots [N].
PLANNED_FORCE = 0.02
# A limit that an explanation found by halving, which it stops at five percent.
CLOSE_NEED = 0.06
# Gradients of the best cost by duration, from multipliers at the last barrier and from
# differences of solves [relative].
ENVELOPE = 0.02
# Center of mass in flight on its parabola, between knots 40 ms apart [m].
BALLISTIC = 2e-4
# A derivative of the filter's equations against differences with steps of 1e-5, by
# second order and by what turns within a millisecond [relative].
LINEARIZED = 5e-3
# Equations that hold for any error, after fifty steps of products [rad, m].
INVARIANCE = 1e-10
# The same run of a filter at two places meters apart, which round differently.
FILTER_HORIZON = 1e-8

# What is heard beside what is seen: half of what an ear and an eye would notice [s].
SOUND_APART = 20e-3

# The instant of an extreme from a parabola through samples 5 ms apart [s].
MARKER_READ = 2e-4
# Mean error of what belongs on a beat, and its deviation, in closed loop [s].
MARKER_MEAN, MARKER_DEVIATION = 10e-3, 15e-3

# Identities of priority levels in double precision, relative to the largest entry, and
# accelerations by which a task may feel one below it [m/s^2, rad/s^2].
HIERARCHY = 1e-9
# Programs with limits against the closed form where no limit is active: DAQP's own
# tolerance times condition numbers of hundreds [m/s^2, and relative].
LIMITED = 1e-4
# Response of a hand to a step against its formula: torques hold for a step of 1 ms
# and act half of it late, of 1 / 15 s [-].
TASK_SPACE_RESPONSE = 0.01
# A hand after a target that has come to rest, modeled from true angles [m].
ARRIVED = 1e-4
# Derivatives of what glides against differences over 1 ms, of values up to ten and
# with third derivatives of some hundred [in units of the value].
GLIDING = 1e-3
# A commanded force against that of contact, which yields where the model is rigid [-].
PRESSED = 0.02
# Closed forms of motors against an integrator at 1e-10 [N m].
MOTORS = 1e-6
# A servo at 1 kHz against the continuous one, of the step that it is told [-].
SERVO_STEP = 0.01
# Deflection of a soft joint against torque over stiffness [relative].
COMPLIANCE = 0.05
# Friction that is felt from outside against what was simulated: the damping of spring
# and joint, at the speed of the pull, is in it [relative].
APPARENT_FRICTION = 0.06
# How far joints without stiffness may turn in ten seconds: a degree [rad].
WEIGHTLESS = 0.01745

# A task that is a constraint, as the solver leaves it [m/s^2, rad/s^2].
HARD_TASK = 1e-8
# All velocities of a robot that has stood for ten seconds, as one norm [m/s, rad/s].
STANDING_STILL = 1e-6
# Torques that the momentum observer takes for unexplained in a motion at some rad/s
# that motors explain, from its steps of 1 ms [N m].
OBSERVED = 0.05
# From 50 N on a hand to the warning of it [s].
DETECTED_WITHIN = 0.1
# Published figures of robots carry ten digits, the inputs of their models six;
# absolute for small values, relative for values above one.
PUBLISHED = 1e-6
# Quaternions that were brought to length one by code that was compiled otherwise [-].
UNIT_QUATERNION = 1e-15
