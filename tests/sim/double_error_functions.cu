// erf, erfc, gamma and Bessel functions at points with published values (Abramowitz and Stegun).
// launch: grid 1 block 1
// out y: f64 8
// expect y = 0.8427007929497149 0.004677734981047266 24 0.6931471805599453 0.7651976865579666 0.4400505857449335 1.7724538509055161 -0.2227025892104785 ~ 1e-14
extern "C" __global__ void errors(double *y) {
    y[0] = erf(1.0);
    y[1] = erfc(2.0);
    y[2] = tgamma(5.0);
    y[3] = lgamma(3.0);
    y[4] = j0(1.0);
    y[5] = j1(1.0);
    y[6] = tgamma(0.5);
    y[7] = erf(-0.2);
}
